// The pair of versions that a reader has chosen. It stands in the address (?torch=…&mindspore=…), which wins, and is kept
// between pages. A page that was never told shows the newest pair that was run.

export interface Pair {
  torch: string;
  mindspore: string;
}

type Framework = keyof Pair;

const FRAMEWORKS: readonly Framework[] = ["torch", "mindspore"];
const KEPT = "apidiff.versions";
const EVENT = "apidiff-versions";

/** Every version that can be chosen, newest first, as <meta name="apidiff:torch" content="2.15.0 2.14.1 …"> says. */
export function known(framework: Framework): string[] {
  return list(framework, "known", (meta) => meta.content);
}

/** Those of them that were run, as the attribute data-run of the same element says. */
export function run(framework: Framework): string[] {
  return list(framework, "run", (meta) => meta.dataset.run);
}

const lists = new Map<string, string[]>();

function list(framework: Framework, which: string, read: (meta: HTMLMetaElement) => string | undefined): string[] {
  const key = `${which} ${framework}`;
  let found = lists.get(key);
  if (!found) {
    const meta = document.querySelector<HTMLMetaElement>(`meta[name="apidiff:${framework}"]`);
    const told = meta ? read(meta) : "";
    lists.set(key, (found = told ? told.split(" ") : []));
  }
  return found;
}

/**
 * Whether `spans` holds `version`. Spans are those of data-torch and data-mindspore: `FIRST..LAST`, both known versions and
 * both included, or one version alone; several stand apart by spaces.
 */
export function covers(framework: Framework, spans: string, version: string): boolean {
  return within(known(framework), spans, version);
}

/** The same by any list of versions, newest first. */
export function within(order: readonly string[], spans: string, version: string): boolean {
  const place = order.indexOf(version);
  return spans.split(" ").some((span) => {
    const [first = "", last = first] = span.split("..");
    return place <= order.indexOf(first) && place >= order.indexOf(last);
  });
}

/**
 * The known version that `typed` means, as the command line reads it: itself, or the newest that it is the beginning of (2.7 is
 * 2.7.2); undefined where there is none.
 */
export function meant(framework: Framework, typed: string): string | undefined {
  const all = known(framework);
  return all.includes(typed) ? typed : typed && all.find((one) => one.startsWith(`${typed}.`)) || undefined;
}

/** The newest pair that was run; of a framework that was never run the newest version. */
export function newest(): Pair {
  const first = (framework: Framework) => known(framework).find((one) => run(framework).includes(one)) ?? known(framework)[0] ?? "";
  return { torch: first("torch"), mindspore: first("mindspore") };
}

/** What the address asks for and is not known, as it is written there. */
export function unknown(): Partial<Pair> {
  const found: Partial<Pair> = {};
  const asked = new URLSearchParams(window.location.search);
  for (const framework of FRAMEWORKS) {
    const one = asked.get(framework);
    if (one && known(framework).length && !meant(framework, one)) found[framework] = one;
  }
  return found;
}

/**
 * The chosen pair: each part from the address, else what was kept, else the newest that was run. An address that asks for an
 * unknown version gets that, not one that this reader kept and its sender never saw.
 */
export function chosen(): Pair {
  const asked = new URLSearchParams(window.location.search);
  const kept = readKept();
  const pair = newest();
  for (const framework of FRAMEWORKS) {
    const wanted = meant(framework, asked.get(framework) || kept[framework] || "");
    if (wanted) pair[framework] = wanted;
  }
  return pair;
}

/** Chooses versions: keeps them, writes them into the address and tells everyone on the page. */
export function choose(part: Partial<Pair>): void {
  const pair = { ...chosen(), ...part };
  try {
    window.localStorage.setItem(KEPT, JSON.stringify(pair));
  } catch {
    // A browser that keeps nothing still has the address.
  }
  const address = new URL(window.location.href);
  for (const framework of FRAMEWORKS) address.searchParams.set(framework, pair[framework]);
  window.history.replaceState(window.history.state, "", address);
  document.dispatchEvent(new CustomEvent<Pair>(EVENT, { detail: pair }));
}

/**
 * Makes address and memory agree when a page opens: what the address asks for is kept for the pages to come, and a kept pair
 * other than that is written into the address, so that it can be sent to somebody.
 */
export function settle(): void {
  const asked = new URLSearchParams(window.location.search);
  const pair = chosen();
  const isNewest = FRAMEWORKS.every((framework) => pair[framework] === newest()[framework]);
  if (FRAMEWORKS.some((framework) => asked.has(framework)) || !isNewest) choose(pair);
}

/** Calls `act` now and whenever the choice changes. */
export function follow(act: (pair: Pair) => void): void {
  document.addEventListener(EVENT, (event) => act((event as CustomEvent<Pair>).detail));
  act(chosen());
}

function readKept(): Partial<Pair> {
  try {
    const found: unknown = JSON.parse(window.localStorage.getItem(KEPT) ?? "{}");
    const texts = Object.entries(found ?? {}).filter(([, version]) => typeof version === "string");
    return Object.fromEntries(texts);
  } catch {
    return {};
  }
}
