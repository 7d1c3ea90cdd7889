// Dragging by mouse or pen: one more way to pick up and put down. Fingers tap, so that they can scroll the page.

/** How far the pointer may move during a press, in pixels, before it is a drag. */
const DRAG_THRESHOLD = 6;

/**
 * @param {HTMLElement} host
 * @param {(target: EventTarget | null) => SVGGraphicsElement | null} lift picks up what is there, and returns its picture
 * @param {(target: Element | null) => void} drop puts it down there
 */
export function listenToDrags(host, lift, drop) {
  /** @type {{x: number, y: number, target: EventTarget | null, picture: SVGGraphicsElement | null} | null} */
  let drag = null;
  host.addEventListener('pointerdown', ({ button, clientX, clientY, pointerType, target }) => {
    drag = button === 0 && pointerType !== 'touch' ? { x: clientX, y: clientY, target, picture: null } : null;
  });
  host.addEventListener('pointermove', ({ clientX, clientY, pointerId }) => {
    if (!drag) return;
    const [x, y] = [clientX - drag.x, clientY - drag.y];
    if (!drag.picture) {
      if (Math.hypot(x, y) < DRAG_THRESHOLD) return;
      drag.picture = lift(drag.target);
      if (!drag.picture) return void (drag = null);
      host.setPointerCapture(pointerId);
      drag.picture.parentNode?.append(drag.picture);
    }
    const scale = drag.picture.ownerSVGElement?.getScreenCTM()?.a ?? 1;
    drag.picture.style.translate = `${x / scale}px ${y / scale}px`;
  });
  host.addEventListener('pointerup', ({ clientX, clientY }) => {
    const dragged = drag?.picture;
    drag = null;
    if (dragged) drop(document.elementFromPoint(clientX, clientY));
  });
  host.addEventListener('pointercancel', () => {
    const dragged = drag?.picture;
    drag = null;
    if (dragged) drop(null);
  });
}
