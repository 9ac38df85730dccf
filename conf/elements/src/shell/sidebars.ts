// On a narrow screen both sidebars are dialogs that buttons of the header open. What stands in a sidebar moves into its
// dialog for that time, with the classes that style it.
import { closeBeside } from "./dialogs";

function move(from: HTMLElement, to: HTMLElement): void {
  to.append(...from.childNodes);
  for (const name of [...from.classList]) {
    from.classList.remove(name);
    to.classList.add(name);
  }
}

function connect(which: "primary" | "secondary"): void {
  const button = document.querySelector<HTMLElement>(`.${which}-toggle`);
  const sidebar = document.getElementById(`pst-${which}-sidebar`);
  const dialog = document.querySelector<HTMLDialogElement>(`#pst-${which}-sidebar-modal`);
  if (!button || !sidebar || !dialog) return;
  dialog.setAttribute("aria-label", button.getAttribute("aria-label") ?? "");
  dialog.tabIndex = -1;
  button.addEventListener("click", () => {
    if (dialog.open) return;
    if (sidebar.hasChildNodes()) move(sidebar, dialog);
    dialog.showModal();
    button.setAttribute("aria-expanded", "true");
    dialog.focus();
  });
  closeBeside(dialog);
  // A link to a place on this page shows the place.
  dialog.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("a[href^='#']")) dialog.close();
  });
  dialog.addEventListener("close", () => {
    button.setAttribute("aria-expanded", "false");
    // It slides out with its content; reduced motion has no animations to wait for.
    const running = dialog.getAnimations().map((one) => one.finished);
    void Promise.allSettled(running).then(() => {
      if (!dialog.open) move(dialog, sidebar);
    });
  });
  // A window that has become wide shows the sidebar itself.
  new ResizeObserver(() => {
    if (dialog.open && window.getComputedStyle(button).display === "none") dialog.close();
  }).observe(button);
}

/** Connects both sidebars. */
export function connectSidebars(): void {
  connect("primary");
  connect("secondary");
}
