// Patterns of events, such as `sale.order.confirmed`, `sale.order.*` or `*.created`.
import { Wildcards } from './wildcards.ts'

/** A model's event: `created`, `updated`, `deleted`, or one that its contract declares. */
export interface ModelEvent {
  readonly model: string
  readonly event: string
}

/** Events that the engine emits for every model. */
export const everyModels = ['created', 'updated', 'deleted'] as const

/**
 * Whether an event is meant by one of the patterns. Where what stands before `.*` is a model, its own events
 * are meant, and not those of models whose names go on.
 */
export function matchesPatterns(
  patterns: readonly string[],
  isModel: (name: string) => boolean,
): (event: ModelEvent) => boolean {
  const models = new Set<string>()
  const others: string[] = []
  for (const pattern of patterns) {
    const model = /^([^*]+)\.\*$/.exec(pattern)?.[1]
    if (model !== undefined && isModel(model)) models.add(model)
    else others.push(pattern)
  }
  const wild = new Wildcards(others.join())
  return ({ model, event }) => models.has(model) || wild.matches(`${model}.${event}`)
}
