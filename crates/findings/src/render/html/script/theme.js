
// Light, dark, or as the system has it. The choice is kept where the browser lets a file keep anything.
const THEMES = ["auto", "light", "dark"];

function savedTheme() {
  try {
    const saved = localStorage.getItem("raddle-theme");
    return THEMES.includes(saved) ? saved : "auto";
  } catch {
    return "auto";
  }
}

let theme = savedTheme();

function showTheme() {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const button = document.getElementById("theme");
  button.hidden = false;
  button.textContent = `Theme: ${theme}`;
  button.setAttribute("aria-label", `Theme: ${theme}. Switch to ${nextTheme()}.`);
}

function nextTheme() {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
}

function switchTheme() {
  theme = nextTheme();
  try {
    localStorage.setItem("raddle-theme", theme);
  } catch {
    // It holds for this visit.
  }
  showTheme();
  say(`Theme: ${theme}`);
}
