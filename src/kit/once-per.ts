// Facts about objects that never change, such as the models and fields of a registry: worked out once for
// each object, and kept as long as it is. One map has them all, by object and kind of fact.

import { ByList } from './by-list.ts'

const factsOf = new WeakMap<object, unknown[]>()
let kinds = 0

/**
 * `make`, run once for each object. Its result must follow from the object alone: the other arguments are
 * those from which it can be worked out, such as the registry of a model. To be called once for each kind of
 * fact, at the top of a module.
 */
export function oncePer<
  K extends object,
  T extends NonNullable<unknown> | null,
  A extends readonly unknown[],
>(make: (object: K, ...more: A) => T): (object: K, ...more: A) => T {
  const place = kinds++
  return (object, ...more) => {
    const facts = factsOf.get(object) ?? []
    const fact = facts[place] as T | undefined
    if (fact !== undefined) return fact
    if (facts.length === 0) factsOf.set(object, facts)
    const result = make(object, ...more)
    // A list that grows by single places keeps a dense form.
    while (facts.length < place) facts.push(undefined)
    facts[place] = result
    return result
  }
}

/**
 * As `oncePer`, for lists of items of an object, in this order. Results are kept for the `most` lists of an
 * object that were used last.
 */
export function oncePerList<K extends object, I, T>(
  most: number,
  make: (object: K, items: readonly I[]) => T,
): (object: K, items: Iterable<I>) => T {
  const listsOf = oncePer((_: K) => new ByList<I, { readonly value: T }>(most))
  return (object, input) => {
    const lists = listsOf(object)
    // An iterator can be read once only.
    const items = [...input]
    const cached = lists.get(items)
    if (cached) return cached.value
    const value = make(object, items)
    lists.set(items, { value })
    return value
  }
}
