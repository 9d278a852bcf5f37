// Light, dark, or as the system has it. What is drawn is told to draw again.
const THEMES = ["system", "light", "dark"];
const repaints = [];

function applyTheme(name) {
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  const button = byId("theme");
  button.textContent = `Theme: ${name}`;
  button.dataset.now = name;
  repaints.forEach((repaint) => repaint());
}

function startTheme() {
  const button = byId("theme");
  button.hidden = false;
  applyTheme("system");
  button.addEventListener("click", () => {
    applyTheme(THEMES[(THEMES.indexOf(button.dataset.now) + 1) % THEMES.length]);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    repaints.forEach((repaint) => repaint());
  });
}
