// Equal changes of one context give the same object, so that values derived from it are found again.
import { oncePer } from '../../kit/once-per.ts'
import type { Context } from '../language/environment.ts'

/** Changes of one context that are kept: the last ones. */
const MOST = 8

/** Items of a list, and characters of a text, that are compared: longer ones give a new context each time. */
const LONGEST = 100

interface Changed {
  readonly changes: Context
  readonly context: Context
}

/** By the original context, which most calls of a user share. */
const changesOf = oncePer((_: Context): { latest: readonly Changed[] } => ({ latest: [] }))

/** A context with some keys set anew; itself where there are none. */
export function changedContext(context: Context, changes: Context): Context {
  if (isEmpty(changes)) return context
  const kept = changesOf(context)
  for (const change of kept.latest) if (areSame(change.changes, changes)) return change.context
  const changedContext = { ...context, ...changes }
  if (isPlain(changes))
    kept.latest = [{ changes: { ...changes }, context: changedContext }, ...kept.latest.slice(0, MOST - 1)]
  return changedContext
}

/** Without defaults: the caller was not authorized for records that privileged code creates. */
export function withoutDefaults(context: Context): Context {
  const entries = Object.entries(context)
  const rest = entries.filter(([key]) => !key.startsWith('default_'))
  return rest.length === entries.length ? context : Object.fromEntries(rest)
}

function isEmpty(changes: Context): boolean {
  for (const _ in changes) return false
  return true
}

/** Whether values cannot change: texts, numbers and the like, and short frozen lists of numbers. */
function isPlain(changes: Context): boolean {
  for (const key in changes) {
    const value = changes[key]
    if (typeof value === 'string' && value.length > LONGEST) return false
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value) || value.length > LONGEST || !Object.isFrozen(value)) return false
    if (!value.every((item) => typeof item === 'number')) return false
  }
  return true
}

function areSame(first: Context, other: Context): boolean {
  let keys = 0
  for (const key in other) {
    if (!Object.hasOwn(first, key) || !isSame(first[key], other[key])) return false
    keys++
  }
  for (const _ in first) keys--
  return keys === 0
}

function isSame(first: unknown, other: unknown): boolean {
  if (!Array.isArray(first) || !Array.isArray(other)) return Object.is(first, other)
  return first.length === other.length && first.every((item, i) => Object.is(item, other[i]))
}
