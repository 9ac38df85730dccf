// Scopes: what a name may be bound to at a place, as Python resolves it.
import { bound, type Bound } from "./bindings";
import type { Node } from "./tree";

/** Full names that something may mean; empty for everything that is no part of torch. */
export type Values = readonly string[];

export const NOTHING: Values = [];

/** What names are bound to just now. Names that stand for nothing of torch are left out. */
export type State = Map<string, Values>;

export function union(left: Values, right: Values): Values {
  if (left.length === 0) return right;
  const added = right.filter((one) => !left.includes(one));
  return added.length === 0 ? left : [...left, ...added];
}

/** What holds where two ways through the code meet. */
export function joined(left: State, right: State): State {
  const found = new Map(left);
  for (const [name, values] of right) found.set(name, union(found.get(name) ?? NOTHING, values));
  return found;
}

type Kind = "module" | "function" | "class" | "comprehension";

export class Scope {
  readonly bound: Bound;
  state: State = new Map();
  /** Everything a name was ever bound to here: what a function that is called later may find. */
  readonly ever = new Map<string, Values>();

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
      if (this.kind === "class") this.state.set(name, NOTHING);
      else this.state.delete(name);
      return false;
    }
    owner.state.set(name, owner === this ? values : union(owner.state.get(name) ?? NOTHING, values));
    const before = owner.ever.get(name) ?? NOTHING;
    const now = union(before, values);
    owner.ever.set(name, now);
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
        const found = (later ? scope.ever : scope.state).get(name);
        if (found || scope.kind !== "class") return found ?? NOTHING;
      }
      if (scope.kind === "function") later = true;
    }
    return undefined;
  }
}
