// Dependency graph: which stored computed fields follow which field, and by what path back.

import { DeclarationError } from '../../errors.ts'
import type { FieldDef, ModelDef, Trigger } from '../language/definitions.ts'
import { choosersOf } from '../load/reach.ts'
import { sourceOf } from './values.ts'

interface Graph {
  readonly triggers: ReadonlyMap<FieldDef, readonly Trigger[]>
  readonly order: ReadonlyMap<FieldDef, number>
}

/** Walks dependencies of stored computed fields, through related fields and those not stored. */
export function triggersOf(models: ReadonlyMap<string, ModelDef>): Graph {
  const triggers = new Map<FieldDef, Trigger[]>()
  const needs = new Map<FieldDef, Set<FieldDef>>()
  const add = (changed: FieldDef, field: FieldDef, path: readonly FieldDef[]) => {
    const triggersOfField = triggers.get(changed) ?? []
    if (!triggersOfField.some((t) => t.field === field && samePath(t.path, path)))
      triggersOfField.push({ field, path: [...path] })
    triggers.set(changed, triggersOfField)
  }
  const follow = (
    field: FieldDef,
    model: ModelDef,
    names: readonly string[],
    prefix: readonly FieldDef[],
    depth: number,
  ): void => {
    if (depth > 20)
      throw new DeclarationError(`Dependencies of ${field.model.name}.${field.name} go in a circle.`)
    let currentModel = model
    const path = [...prefix]
    for (const [i, name] of names.entries()) {
      const step = currentModel.fields.get(name)
      if (!step)
        throw new DeclarationError(
          `${field.model.name}.${field.name} depends on ${names.join('.')}: ${currentModel.name} has no field ${name}.`,
        )
      if (step.related && !step.stored) follow(field, currentModel, step.related, path, depth + 1)
      else if (step.compute && !step.stored)
        for (const p of step.compute.depends) follow(field, currentModel, p.split('.'), path, depth + 1)
      else if (step.name !== 'id') {
        add(step, field, path)
        if (step.compute) needs.get(field)?.add(step)
      }
      path.push(...plainSteps(step))
      if (!step.related && !step.compute) for (const other of choosersOf(step)) add(other, field, path)
      if (i === names.length - 1) return
      if (!step.comodel)
        throw new DeclarationError(
          `${field.model.name}.${field.name} depends on ${names.join('.')}: ${name} leads nowhere.`,
        )
      currentModel = step.comodel
    }
  }
  for (const model of models.values()) {
    if (!model.hasTable) continue
    for (const field of model.fields.values()) {
      if (!field.compute || !field.stored) continue
      needs.set(field, new Set())
      for (const path of field.compute.depends) follow(field, model, path.split('.'), [], 0)
    }
  }
  return { triggers, order: ordered(needs) }
}

/** Looks up, once a field, everything that follows it through others. */
export function followersOf(
  triggers: ReadonlyMap<FieldDef, readonly Trigger[]>,
): (field: FieldDef) => ReadonlySet<FieldDef> {
  const followersByField = new Map<FieldDef, Set<FieldDef>>()
  return (field) => {
    const followers = followersByField.get(field) ?? new Set<FieldDef>()
    if (followersByField.has(field)) return followers
    followersByField.set(field, followers)
    const queue = [field]
    for (let next = queue.pop(); next; next = queue.pop()) {
      for (const { field: follower } of triggers.get(next) ?? []) {
        if (followers.has(follower)) continue
        followers.add(follower)
        queue.push(follower)
      }
    }
    return followers
  }
}

/** The steps of a path: a related or delegated field stands for its own path. */
function plainSteps(step: FieldDef): FieldDef[] {
  if (!step.related || step.stored) return [step]
  const steps: FieldDef[] = []
  let currentModel: ModelDef | undefined = step.model
  for (const name of step.related) {
    const next: FieldDef | undefined = currentModel?.fields.get(name)
    if (!next) return [step]
    steps.push(...plainSteps(next))
    currentModel = next.comodel
  }
  return steps
}

const samePath = (a: readonly FieldDef[], b: readonly FieldDef[]) =>
  a.length === b.length && a.every((f, i) => f === b[i])

/**
 * Numbers fields so that dependencies come first; fields of one function have adjacent numbers, after
 * the dependencies of all of them, as they are computed together. Circles (trees that depend on
 * themselves) keep declaration order.
 */
function ordered(needs: ReadonlyMap<FieldDef, ReadonlySet<FieldDef>>): Map<FieldDef, number> {
  const order = new Map<FieldDef, number>()
  const visiting = new Set<readonly FieldDef[]>()
  const groups = new Map<FieldDef, readonly FieldDef[]>()
  for (const fields of Map.groupBy(needs.keys(), ({ model }) => model).values())
    for (const group of Map.groupBy(fields, sourceOf).values())
      for (const field of group) groups.set(field, group)
  const visit = (field: FieldDef) => {
    const group = groups.get(field)
    if (!group || order.has(field) || visiting.has(group)) return
    visiting.add(group)
    for (const member of group) for (const need of needs.get(member) ?? []) visit(need)
    visiting.delete(group)
    for (const member of group) order.set(member, order.size)
  }
  for (const field of needs.keys()) visit(field)
  return order
}
