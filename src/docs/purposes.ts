// What models are for, in the words of who looks for one: business before administration, what serves other programs apart.

import type { ModelDef } from '../models/language/definitions.ts'
import type { Module } from '../models/language/module.ts'
import { MANUAL } from '../models/manual/rows.ts'

/** A group of models under one heading. */
export interface Purpose {
  readonly title: string
  /** Names of its models, in order. */
  readonly models: readonly string[]
  /** Whether few people look for them: wizards, and models about the server itself. */
  readonly isTechnical: boolean
}

const TECHNICAL = 'Technical'
const MADE = 'Made in this database'

/** The models of `base` are for several things. */
const ofBase: readonly (readonly [title: string, names: RegExp])[] = [
  ['Contacts and companies', /^res\.(?:partner|company|bank)(?:\.|$)/],
  ['Users and rights', /^(?:res\.(?:users|groups)(?:\.|$)|ir\.(?:rule|model\.access)$)/],
  ['Countries, currencies and languages', /^res\.(?:country|currency|lang|city)(?:\.|$)/],
]

/** What belongs to the server rather than to a shop, whichever module brings it. */
const machinery = /^(?:ir|base|bus|rpc|comptoir|report|api_doc|_unknown)(?:\.|$)/

function titleOf(model: ModelDef, summaries: ReadonlyMap<string, string>): string {
  if (model.module === MANUAL) return MADE
  const title = model.module === 'base' ? ofBase.find(([, names]) => names.test(model.name))?.[0] : undefined
  if (title !== undefined) return title
  if (model.kind !== 'model' || machinery.test(model.name) || model.module === 'base') return TECHNICAL
  return summaries.get(model.module) ?? model.module
}

/**
 * The models in groups: those of a module under its summary, the modules that stand on others first, then those of `base` by what they are for,
 * then those that were made over the API, then the technical ones.
 */
export function purposesOf(models: readonly ModelDef[], modules: readonly Module[]): readonly Purpose[] {
  const summaries = new Map(modules.map(({ name, summary }) => [name, summary]))
  const groups = Map.groupBy(models, (model) => titleOf(model, summaries))
  const titles = [...modules.map(({ summary }) => summary).reverse(), ...ofBase.map(([title]) => title), MADE, TECHNICAL]
  const place = (title: string) => titles.indexOf(title)
  return [...groups]
    .sort(([one], [other]) => place(one) - place(other))
    .map(([title, members]) => ({ title, models: members.map(({ name }) => name), isTechnical: title === TECHNICAL }))
}
