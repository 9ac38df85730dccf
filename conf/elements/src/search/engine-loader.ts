// Loads the engine and the data of this language, once.

import { contentRoot, loadScript } from "../shared/load";
import type { SearchData } from "./data";
import type { Engine } from "./engine";

declare global {
  interface Window {
    apidiffSearch?: SearchData;
    apidiffSearchEngine?: typeof Engine;
  }
}

let engine: Promise<Engine> | undefined;

/** The engine. Rejects, and may be asked again, where its scripts cannot be loaded. */
export function find(): Promise<Engine> {
  engine ??= load().catch((error: unknown) => {
    engine = undefined;
    throw error;
  });
  return engine;
}

async function load(): Promise<Engine> {
  const root = contentRoot();
  await Promise.all([
    loadScript(new URL("_static/elements/search-engine.js", root).href),
    loadScript(new URL("_search/index.js", root).href),
  ]);
  if (!window.apidiffSearchEngine || !window.apidiffSearch) throw new Error("the search index says nothing");
  return new window.apidiffSearchEngine(window.apidiffSearch);
}
