// Full names: which API of the database one means, and which could still lead to one.

/**
 * What names are looked up in: APIs by full name with their other names, and modules that hold the objects of another.
 * `customary`: what everyone calls modules. `noticed`: names that are told of even where the database lacks them; one that
 * ends in a dot stands for all below it.
 */
export interface Known {
  apis: Record<string, { kind: string; aliases: string[] }>;
  modules: Record<string, string>;
  customary: Record<string, string>;
  noticed: string[];
}

/** `api`: an ID of the database. `used`: how many parts of the name say it, with that of the `member`. */
export interface Meaning {
  api: string;
  member?: string;
  used: number;
}

const SOURCE = "torch";
const LONGEST_NAME = 240; // characters: what is longer leads nowhere, or `x = x.a` again and again would make ever longer ones

/**
 * A name is a dotted path from a module. A part that ends in "()" is an instance that a call made:
 * `torch.distributed.TCPStore().set`.
 */
export class Names {
  readonly #known: Known;
  readonly #spelled = new Map<string, string>();
  readonly #leading = new Set<string>();
  readonly #public = new Map<string, string[]>();
  #mostParts = 0; // of a name that means an API

  constructor(known: Known) {
    this.#known = known;
    for (const [id, api] of Object.entries(known.apis))
      for (const name of [id, ...api.aliases]) {
        this.#spelled.set(name, id);
        this.#lead(name);
      }
    for (const module of Object.keys(known.modules)) this.#lead(`${module}.`);
    for (const name of known.noticed) this.#lead(name);
  }

  #lead(name: string): void {
    let parts = 1;
    for (let end = name.indexOf("."); end > 0; end = name.indexOf(".", end + 1), parts++) this.#leading.add(name.slice(0, end));
    this.#mostParts = Math.max(this.#mostParts, parts);
  }

  #isNoticed(name: string): boolean {
    return this.#known.noticed.some((noticed) => (noticed.endsWith(".") ? name.startsWith(noticed) : name === noticed));
  }

  /** The module that `name` is taken for in a snippet that binds it nowhere. */
  customary(name: string): string | undefined {
    if (Object.hasOwn(this.#known.customary, name)) return this.#known.customary[name];
    return name === SOURCE ? SOURCE : undefined;
  }

  /** Whether `name` is a module on the way to known APIs, an API, or a name to tell of. */
  leads(name: string): boolean {
    if (name.length > LONGEST_NAME) return false;
    const plain = name.replaceAll("()", "");
    return this.#leading.has(plain) || this.#isNoticed(plain) || this.meaning(name) !== undefined;
  }

  /** The API that `name` means: the longest part of it that is one. */
  meaning(name: string): Meaning | undefined {
    const parts = name.replaceAll("()", "").split(".");
    for (let used = Math.min(parts.length, this.#mostParts); used > 0; used--) {
      const api = this.#api(parts.slice(0, used).join("."));
      if (api === undefined) continue;
      const member = this.isClass(api) ? parts[used] : undefined;
      return member === undefined ? { api, used } : { api, member, used: used + 1 };
    }
    return undefined;
  }

  #api(name: string): string | undefined {
    const found = this.#spelled.get(name);
    if (found) return found;
    const dot = name.lastIndexOf(".");
    const module = name.slice(0, Math.max(dot, 0));
    return this.#spelled.get(this.module(module) + name.slice(dot));
  }

  /** Whether the API is a class, whose members mean something of their own. */
  isClass(api: string): boolean {
    return this.#known.apis[api]?.kind === "class";
  }

  /** Whether `name` is one to tell of, but neither an API of the database nor a module on the way to one. */
  isUnknown(name: string): boolean {
    return this.#isNoticed(name) && !this.#leading.has(name) && this.meaning(name) === undefined;
  }

  /** The module that `name` stands for where it holds the objects of another one. */
  module(name: string): string {
    return Object.hasOwn(this.#known.modules, name) ? (this.#known.modules[name] as string) : name;
  }

  /** The APIs that a star import from `module` binds: last parts of names. */
  public(module: string): string[] {
    let names = this.#public.get(module);
    if (!names) {
      const start = `${this.module(module)}.`;
      const found = Object.keys(this.#known.apis).filter((id) => id.startsWith(start));
      names = found.map((id) => id.slice(start.length)).filter((name) => !name.includes("."));
      this.#public.set(module, names);
    }
    return names;
  }
}
