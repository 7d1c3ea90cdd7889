// Runs before the first paint, so that a stored theme or language does not flash. The choices are made in settings.js.
(() => {
  const root = document.documentElement;
  let stored;
  try {
    stored = JSON.parse(localStorage.getItem('banmen.settings') ?? 'null');
  } catch {
    // Storage may be unavailable or invalid; the page then uses its defaults.
  }
  if (stored?.theme === 'light' || stored?.theme === 'dark') root.dataset.theme = stored.theme;
  if (stored?.language === 'en' || stored?.language === 'ja') root.lang = stored.language;
  else if (navigator.language.startsWith('ja')) root.lang = 'ja';
})();
