// Light, dark, or as the system is. The names in the store are the theme's.

const print = window.matchMedia("print");
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function kept(): string {
  try {
    const mode = window.localStorage.getItem("mode");
    return mode === "light" || mode === "dark" ? mode : "auto";
  } catch {
    return "auto";
  }
}

/** Shows the page in the colours that were chosen; on paper in the light ones. */
export function show(mode = kept()): void {
  const root = document.documentElement;
  root.dataset.mode = mode;
  const shown = mode === "auto" ? (dark.matches ? "dark" : "light") : mode;
  root.dataset.theme = print.matches ? "light" : shown;
}

/** Connects the buttons that choose, and follows the system where it decides. */
export function connectModes(): void {
  const buttons = document.querySelectorAll<HTMLButtonElement>(".theme-change-button");
  const mark = () => {
    for (const one of buttons) {
      const chosen = one.dataset.mode === document.documentElement.dataset.mode;
      one.setAttribute("aria-pressed", String(chosen));
      one.classList.toggle("active", chosen);
    }
  };
  for (const one of buttons) {
    one.addEventListener("click", () => {
      try {
        window.localStorage.setItem("mode", one.dataset.mode ?? "auto");
      } catch {
        // A browser that keeps nothing shows the choice until the page is left.
      }
      show(one.dataset.mode);
      mark();
    });
  }
  for (const one of [dark, print]) one.addEventListener("change", () => show(document.documentElement.dataset.mode));
  mark();
}
