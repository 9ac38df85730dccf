// Scopes: what a name may be bound to at a place, as Python resolves it.
import { bound, type Bound } from "./bindings";
import type { Node } from "./tree";

/** Full names that something may mean; empty for everything that is no part of torch. */
export type Values = readonly string[];

export const NOTHING: Values = [];
const MOST_VALUES = 16; // every use of a name looks at all that it may mean

/** What is one or the other: of very many things the first. */
export function union(left: Values, right: Values): Values {
  if (left.length === 0) return right;
  const added = right.filter((one) => !left.includes(one)).slice(0, MOST_VALUES - left.length);
  return added.length === 0 ? left : [...left, ...added];
}

/** The names that a way through the code binds, and to what: undefined for nothing of torch. */
export type Changes = ReadonlyMap<string, Values | undefined>;

type Kind = "module" | "function" | "class" | "comprehension";

export class Scope {
  readonly bound: Bound;
  /** What names are bound to just now. Names that stand for nothing of torch are left out. */
  readonly #state = new Map<string, Values>();
  /** For each way through the code that has begun: the names that it binds, and what they were before. */
  readonly #former: Map<string, Values | undefined>[] = [];
  /** Everything a name was ever bound to here: what a function that is called later may find. */
  readonly #ever = new Map<string, Values>();

  constructor(
    readonly kind: Kind,
    readonly parent: Scope | undefined,
    roots: readonly Node[],
    text: (node: Node) => string,
  ) {
    this.bound = bound(roots, text);
    for (const name of this.bound.globals) this.module.bound.names.add(name);
  }

  get module(): Scope {
    return this.parent?.module ?? this;
  }

  /** Forgets what names are bound to just now: the code is run through anew. */
  restart(): void {
    this.#state.clear();
    this.#former.length = 0;
  }

  /** Begins one of several ways through the code: what it binds is noted. */
  begin(): void {
    this.#former.push(new Map());
  }

  /** Ends the way that began last: undoes what it bound and returns that. */
  end(): Changes {
    const made = new Map<string, Values | undefined>();
    for (const [name, values] of this.#former.pop() ?? []) {
      made.set(name, this.#state.get(name));
      this.#restore(name, values);
    }
    return made;
  }

  /** Binds what is bound where `ways` meet. `skip`: none may be taken. */
  join(ways: readonly Changes[], skip = false): void {
    const bound = new Map<string, [way: number, values: Values | undefined][]>();
    ways.forEach((way, number) => {
      for (const [name, values] of way) {
        const found = bound.get(name);
        if (found) found.push([number, values]);
        else bound.set(name, [[number, values]]);
      }
    });
    for (const [name, found] of bound) {
      const each = found.map(([, values]) => values);
      // What it was before is told once, by the first way that leaves the name alone.
      const first = skip ? 0 : found.findIndex(([number], index) => number !== index);
      if (skip || found.length < ways.length) each.splice(first < 0 ? found.length : first, 0, this.#state.get(name));
      this.#put(name, each.reduce((left, right) => (left && right ? union(left, right) : (left ?? right))));
    }
  }

  #put(name: string, values: Values | undefined): void {
    const former = this.#former.at(-1);
    if (former && !former.has(name)) former.set(name, this.#state.get(name));
    this.#restore(name, values);
  }

  #restore(name: string, values: Values | undefined): void {
    if (values) this.#state.set(name, values);
    else this.#state.delete(name);
  }

  /** The scope that an assignment to `name` binds it in. */
  owner(name: string): Scope {
    if (this.bound.globals.has(name)) return this.module;
    if (!this.bound.nonlocals.has(name)) return this;
    for (let scope = this.parent; scope; scope = scope.parent)
      if (scope.kind === "function" && scope.bound.names.has(name)) return scope;
    return this.module;
  }

  /**
   * Binds `name`. Returns whether that says something new of a name of another scope: functions run after the scope around
   * them, so only then may one that ran before have missed it.
   */
  bind(name: string, values: Values): boolean {
    const owner = this.owner(name);
    if (values.length === 0) {
      if (owner !== this) return false;
      // A class body that has not bound a name looks further out; one that has bound it to something else does not.
      this.#put(name, this.kind === "class" ? NOTHING : undefined);
      return false;
    }
    owner.#put(name, owner === this ? values : union(owner.#state.get(name) ?? NOTHING, values));
    const before = owner.#ever.get(name) ?? NOTHING;
    const now = union(before, values);
    owner.#ever.set(name, now);
    return owner !== this && now !== before;
  }

  /** What `name` may mean here, or undefined where no scope binds it. */
  look(name: string): Values | undefined {
    const start = this.bound.globals.has(name) ? this.module : this;
    // A function runs later, so what it finds around it is whatever was bound there at any time.
    let later = start !== this;
    for (let scope: Scope | undefined = start; scope; scope = scope.parent) {
      const visible = scope.kind !== "class" || scope === this;
      if (visible && scope.bound.names.has(name)) {
        const found = (later ? scope.#ever : scope.#state).get(name);
        if (found || scope.kind !== "class") return found ?? NOTHING;
      }
      if (scope.kind === "function") later = true;
    }
    return undefined;
  }
}
