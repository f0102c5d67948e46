"use strict";
// Runs in the head, so that the page never flashes in the other theme.
const THEME = "trace-eval-theme";
try {
  const stored = localStorage.getItem(THEME);
  if (stored) document.documentElement.dataset.theme = stored;
} catch { /* some browsers keep no storage for files: the system's theme holds */ }
