// Matching in memory: plain conditions over loaded records (`load`), for what needs no SQL, no names and no clock.
import type { FieldDef, ModelDef } from '../defs.ts'
import { holds, readBoolean, readInteger, readNumber } from './number.ts'
import { isOrder, isPattern, senseOf } from './operators.ts'
import { refused } from './refusal.ts'
import { leaf as condition, type Leaf, type Tree } from './tree.ts'

/** A record as `load` gives it: plain values, null where unset, relations as objects with an id. */
export type Loaded = Readonly<Record<string, unknown>>

const FULL_MOMENT = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Paths that must be loaded before `matches` can be asked. */
export function pathsOf(tree: Tree): string[] {
  const paths = new Set<string>()
  const walk = (here: Tree, prefix: string): void => {
    if (here.type === 'not') walk(here.child, prefix)
    else if (here.type === 'all' || here.type === 'anyOf') for (const child of here.children) walk(child, prefix)
    else if (here.type === 'leaf') {
      const path = prefix + here.path.join('.')
      paths.add(path)
      if (senseOf(here.operator).positive === 'any') walk(here.value as Tree, here.path[0] === 'id' ? prefix : `${path}.`)
    }
  }
  walk(tree, '')
  return [...paths]
}

/**
 * Whether `matches` gives what SQL would give. No: names, hierarchies, parts and relative dates, order of texts (the database's
 * collation), amounts, files, and lines of models with archived records.
 */
export function decidable(tree: Tree, model: ModelDef): boolean {
  if (tree.type === 'always') return true
  if (tree.type === 'not') return decidable(tree.child, model)
  if (tree.type !== 'leaf') return tree.children.every((child) => decidable(child, model))
  const field = model.fields.get(tree.path[0] as string)
  if (!field || field.name === 'display_name' || field.options.hidden || field.groups.length) return false
  const { positive } = senseOf(tree.operator)
  if (field.comodel && (field.kind === 'many2one' || !(field.comodel.active || field.options.domain))) {
    if (tree.path.length > 1) return decidable(condition(tree.path.slice(1), tree.operator, tree.value), field.comodel)
    if (positive === 'any') return decidable(tree.value as Tree, field.comodel)
    return (positive === '=' || positive === 'in') && items(tree.value).every((value) => typeof value === 'number' || value === false)
  }
  return tree.path.length === 1 && !field.comodel && decidableValue(field, tree)
}

function decidableValue(field: FieldDef, leaf: Leaf): boolean {
  const { positive } = senseOf(leaf.operator)
  if (positive === 'any' || positive === 'child_of' || positive === 'parent_of' || positive === '=?') return false
  switch (field.type.comparison) {
    case 'text':
    case 'selection':
      return !isOrder(positive)
    case 'number':
      return !isPattern(positive) && field.kind === 'integer'
    case 'boolean':
      return positive === '=' || positive === 'in'
    case 'date':
      return !isPattern(positive) && items(leaf.value).every((value) => value === false || (typeof value === 'string' && DAY.test(value)))
    case 'datetime':
      return (
        !isPattern(positive) &&
        items(leaf.value).every((value) => value === false || (typeof value === 'string' && FULL_MOMENT.test(value)))
      )
    default:
      return false
  }
}

const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** Whether a loaded record satisfies a decidable domain. */
export function matches(tree: Tree, record: Loaded, model: ModelDef): boolean {
  switch (tree.type) {
    case 'always':
      return tree.value
    case 'not':
      return !matches(tree.child, record, model)
    case 'all':
      return tree.children.every((child) => matches(child, record, model))
    case 'anyOf':
      return tree.children.some((child) => matches(child, record, model))
    case 'leaf':
      return matchesLeaf(tree, record, model)
  }
}

function matchesLeaf(leaf: Leaf, record: Loaded, model: ModelDef): boolean {
  const field = model.fields.get(leaf.path[0] as string)
  if (!field) throw refused(leaf, 'there is no such field')
  const value = record[field.name]
  const { positive, negated } = senseOf(leaf.operator)
  if (field.comodel) {
    const comodel = field.comodel
    const targets = (Array.isArray(value) ? value : value ? [value] : []) as Loaded[]
    if (leaf.path.length > 1)
      return targets.some((target) => matchesLeaf(condition(leaf.path.slice(1), leaf.operator, leaf.value), target, comodel))
    const found =
      positive === 'any'
        ? targets.some((target) => matches(leaf.value as Tree, target, comodel))
        : items(leaf.value).some((wanted) => (wanted === false ? targets.length === 0 : targets.some((target) => target.id === wanted)))
    return found !== negated
  }
  return compare(field, value, leaf) !== negated
}

function compare(field: FieldDef, value: unknown, leaf: Leaf): boolean {
  const { positive } = senseOf(leaf.operator)
  if (isPattern(positive)) return matchesPattern(value, positive, leaf.value, field.type.comparison === 'text')
  if (isOrder(positive)) {
    if (field.type.comparison === 'number') {
      const own = Number(value ?? 0)
      return field.name === 'id' && leaf.value === false ? false : holds(own, positive, readNumber(leaf.value, leaf))
    }
    if (value === null || value === undefined || leaf.value === false) return false
    // ISO texts of one length: their order is that of time.
    return holds(String(value) < String(leaf.value) ? -1 : String(value) > String(leaf.value) ? 1 : 0, positive, 0)
  }
  return items(leaf.value).some((wanted) => equal(field, value, wanted, leaf))
}

function equal(field: FieldDef, value: unknown, wanted: unknown, leaf: Leaf): boolean {
  switch (field.type.comparison) {
    case 'text':
      return String(value ?? '') === (wanted === false ? '' : String(wanted))
    case 'number':
      return field.name === 'id' && wanted === false ? false : Number(value ?? 0) === readInteger(wanted, leaf)
    case 'boolean':
      return Boolean(value) === readBoolean(wanted)
    default:
      return wanted === false ? value === null || value === undefined || value === false : value === String(wanted)
  }
}

function matchesPattern(value: unknown, operator: 'like' | 'ilike' | '=like' | '=ilike', wanted: unknown, emptyIsUnset: boolean): boolean {
  const unset = value === null || value === undefined || value === false
  if (wanted === false || wanted === '') return operator[0] === '=' ? unset || (emptyIsUnset && value === '') : true
  if (unset) return false
  const body = String(wanted).replace(/\\(.)|%|_|[\\^$.*+?()[\]{}|/]/gsu, (found, escaped: string | undefined) => {
    if (escaped !== undefined) return quoted(escaped)
    return found === '%' ? '.*' : found === '_' ? '.' : quoted(found)
  })
  const pattern = operator[0] === '=' ? `^${body}$` : body
  return new RegExp(pattern, operator.endsWith('ilike') ? 'isu' : 'su').test(String(value))
}

const quoted = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/]/u, '\\$&')
