// <apidiff-versions>: chooses the pair of versions that the pages are about; what depends on the pair follows.
// A version in the address that is not known is told above the page.
// <apidiff-others>: tells how many sections about other answers are hidden, and brings them forth.
import { reveal } from "./shared/reveal";
import { othersShown, showFor, showOthers } from "./shared/shown";
import { choose, chosen, follow, known, newest, type Pair, run, settle, unknown } from "./shared/versions";
import { Words } from "./shared/words";

class Chooser extends HTMLElement {
  connectedCallback(): void {
    if (this.childElementCount || !known("torch").length) return;
    const words = new Words(this);
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", words.say("label"));
    const selects = (["torch", "mindspore"] as const).map((framework) => {
      const select = document.createElement("select");
      select.name = framework;
      for (const version of known(framework)) {
        const shown = run(framework).includes(version) ? version : words.say("not_run", { version });
        select.add(new Option(shown, version));
      }
      select.addEventListener("change", () => choose({ [framework]: select.value }));
      const name = document.createElement("span");
      name.textContent = words.say(framework);
      const label = document.createElement("label");
      label.append(name, select);
      this.append(label);
      return select;
    });
    const back = document.createElement("button");
    back.type = "button";
    back.textContent = words.say("newest");
    back.title = words.say("back");
    back.setAttribute("aria-label", words.say("back"));
    back.addEventListener("click", () => {
      choose(newest());
      selects[0]?.focus();
    });
    const said = document.createElement("span");
    said.className = "visually-hidden";
    said.setAttribute("role", "status");
    this.append(back, said);
    let before = "";
    follow((pair) => {
      for (const select of selects) select.value = pair[select.name as keyof Pair];
      back.hidden = pair.torch === newest().torch && pair.mindspore === newest().mindspore;
      const now = words.say("said", { ...pair });
      if (before && before !== now && this.checkVisibility()) said.textContent = now;
      before = now;
    });
  }
}

class Others extends HTMLElement {
  connectedCallback(): void {
    if (this.childElementCount) return;
    const words = new Words(this);
    const told = document.createElement("span");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "apidiff-button";
    button.addEventListener("click", () => {
      showOthers(!othersShown());
      tell();
    });
    this.append(told, " ", button);
    let version = "";
    const tell = () => {
      const count = document.querySelectorAll("[data-other][hidden]").length;
      const shown = othersShown();
      told.textContent = shown ? words.say("shown") : words.say(count === 1 ? "hidden_one" : "hidden", { count, version });
      button.textContent = words.say(shown ? "hide" : "show");
      button.setAttribute("aria-expanded", String(shown));
      this.hidden = !shown && !count;
    };
    document.addEventListener("apidiff-others", tell);
    follow((pair) => {
      version = pair.mindspore;
      // After the page has followed: it listens first.
      tell();
    });
  }
}

/** Says which versions of the address are not known and what is shown in their place, until others are chosen. */
function tellUnknown(asked: Partial<Pair>, shown: Pair): void {
  const chooser = document.querySelector<HTMLElement>("apidiff-versions");
  const page = document.querySelector(".bd-article");
  if (!chooser || !page || !Object.keys(asked).length) return;
  const words = new Words(chooser);
  const line = document.createElement("p");
  line.className = "apidiff-notice apidiff-unknown-version";
  line.setAttribute("role", "status");
  const said = (Object.keys(asked) as (keyof Pair)[]).map((framework) =>
    words.say("unknown", { framework: words.say(framework), asked: asked[framework]?.slice(0, 40) ?? "", shown: shown[framework] }),
  );
  line.textContent = said.join(words.say("space"));
  page.prepend(line);
  document.addEventListener("apidiff-versions", () => line.remove(), { once: true });
}

const asked = unknown();
settle();
tellUnknown(asked, chosen());
follow((pair) => showFor(document, pair));
customElements.define("apidiff-versions", Chooser);
customElements.define("apidiff-others", Others);
void reveal();
window.addEventListener("hashchange", () => void reveal());
// A page that comes back from the browser's memory may be older than the choice.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) settle();
});
