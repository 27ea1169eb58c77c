// Values that contacts take from above and pass up, change by change, computed before anything is
// written.
import { present } from '../../../kit/present.ts'
import { addressFields } from '../places/address.ts'
import { differs, isSet, pick, setValues, type Values } from './partner-shared.ts'

export interface Person {
  readonly id: number
  /** Addresses travel between contacts of kind `contact` and their parents. */
  readonly contact: boolean
  readonly values: Values
  /** With its address. */
  readonly parent: (Values & { readonly id: number }) | null
  /** With what it shares; null for who is one. */
  readonly entity: (Values & { readonly id: number }) | null
  /** Takes the parent's address, where there is one. */
  readonly takes: boolean
  /** Fields to take from the commercial entity. */
  readonly shares: readonly string[]
  /** Keeps what the entity has not: who comes from another company keeps nothing of that one. */
  readonly keeps: boolean
  /** Fields that go up, to the parent and to the entity. */
  readonly address: readonly string[]
  readonly upward: readonly string[]
}

/** Values to write, by contact. */
export interface Exchange {
  readonly taken: ReadonlyMap<number, Values>
  readonly passedUp: ReadonlyMap<number, Values>
}

/** Takes and gives in the order of the people: each finds above what those before it gave. */
export function exchange(people: readonly Person[]): Exchange {
  const above = new Map<number, Values>()
  for (const { parent, entity } of people)
    for (const person of [parent, entity])
      if (person) above.set(person.id, { ...above.get(person.id), ...person })
  const taken = new Map<number, Values>()
  const sent = new Map<number, Values>()
  const send = (target: number, vals: Values) => {
    sent.set(target, { ...sent.get(target), ...vals })
    above.set(target, { ...above.get(target), ...vals })
  }
  for (const person of people) {
    const parent = person.parent && present(above.get(person.parent.id))
    const entity = person.entity && present(above.get(person.entity.id))
    const address = person.takes && person.contact && parent ? setValues(parent, addressFields) : null
    const shared = entity
      ? person.shares.filter(
          (f) => (isSet(entity[f]) || !person.keeps) && differs(person.values, entity, [f]),
        )
      : []
    const passedDown = {
      ...(address && differs(person.values, address, addressFields) ? address : {}),
      ...(entity ? pick(entity, shared) : {}),
    }
    if (Object.keys(passedDown).length) taken.set(person.id, passedDown)
    const now = { ...person.values, ...passedDown }
    if (!person.parent || !parent) continue
    if (person.contact && differs(now, parent, person.address))
      send(person.parent.id, pick(now, person.address))
    if (person.entity && entity && differs(now, entity, person.upward))
      send(person.entity.id, pick(now, person.upward))
  }
  return { taken, passedUp: sent }
}
