// A page that moved: leads to the new one and keeps what the address asks for. Its link says where that is.

document.addEventListener("DOMContentLoaded", () => {
  const goal = document.querySelector<HTMLAnchorElement>("#goal");
  if (!goal) return;
  goal.search = window.location.search;
  goal.hash = window.location.hash;
  window.location.replace(goal.href);
});
