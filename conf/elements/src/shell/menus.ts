// Menus of the header: a button with data-bs-toggle="dropdown" (the theme writes it) opens the list beside it.

/** Connects every menu of the page. Escape and a click elsewhere close an open one; Escape gives the focus back. */
export function connectMenus(): void {
  const menus = [...document.querySelectorAll<HTMLButtonElement>("button[data-bs-toggle='dropdown']")].map((button) => ({
    button,
    list: button.parentElement?.querySelector(".dropdown-menu"),
  }));
  const set = (button: HTMLButtonElement, list: Element | null | undefined, open: boolean) => {
    button.setAttribute("aria-expanded", String(open));
    list?.classList.toggle("show", open);
  };
  for (const { button, list } of menus) {
    button.addEventListener("click", () => set(button, list, button.getAttribute("aria-expanded") !== "true"));
    button.parentElement?.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || button.getAttribute("aria-expanded") !== "true") return;
      // The menu may stand in a dialog that Escape would close too.
      event.preventDefault();
      event.stopPropagation();
      set(button, list, false);
      button.focus();
    });
    list?.addEventListener("click", () => {
      set(button, list, false);
      button.focus();
    });
    button.parentElement?.addEventListener("focusout", (event) => {
      const goal = event.relatedTarget;
      if (goal instanceof Node && !button.parentElement?.contains(goal)) set(button, list, false);
    });
  }
  document.addEventListener("click", (event) => {
    for (const { button, list } of menus) {
      if (event.target instanceof Node && !button.parentElement?.contains(event.target)) set(button, list, false);
    }
  });
}
