// Runs before the first paint, so that a stored theme or language does not flash. The choices are made in settings.js.
(() => {
  const root = document.documentElement;
  try {
    const stored = JSON.parse(localStorage.getItem('banmen.settings') ?? '{}');
    if (stored.theme === 'light' || stored.theme === 'dark') root.dataset.theme = stored.theme;
    if (stored.language === 'en' || stored.language === 'ja') root.lang = stored.language;
    else if (navigator.language.startsWith('ja')) root.lang = 'ja';
  } catch {
    // Storage may be unavailable or invalid; the page then uses its defaults.
  }
})();
