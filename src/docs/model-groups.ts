// Groups models by purpose, for readers who look for one: business before administration, models that serve
// other programs apart.

import type { ModelDef } from '../models/language/definitions.ts'
import type { Module } from '../models/language/module.ts'
import { MANUAL } from '../models/manual/custom.ts'

/** A group of models under one heading. */
export interface Purpose {
  readonly title: string
  /** Short description; empty where the title is enough. */
  readonly summary: string
  /** Names of its models: those that stand by themselves, then lines and links of others. */
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

/** Models of the server rather than of a business, whichever module defines them. */
const machinery = /^(?:ir|base|bus|rpc|comptoir|report|api_doc|_unknown)(?:\.|$)/

const titleInBase = ({ name }: ModelDef): string | undefined =>
  ofBase.find(([, names]) => names.test(name))?.[0]

/**
 * Whether a model serves programs and the server itself: people who look for something to sell, to buy or to
 * count want another.
 */
export function isTechnical(model: ModelDef): boolean {
  if (model.kind !== 'model') return true
  return model.module === 'base'
    ? titleInBase(model) === undefined
    : model.module !== MANUAL && machinery.test(model.name)
}

/** Whether its records are parts of others and go with them: lines of orders, members of teams. */
function isPart(model: ModelDef): boolean {
  const delegates = new Set(model.inherits.values())
  return [...model.fields.values()].some(
    (field) =>
      field.kind === 'many2one' &&
      field.comodel !== model &&
      !delegates.has(field.name) &&
      field.options.ondelete === 'cascade',
  )
}

/**
 * The models in groups: those of a module under its title, the modules that stand on others first, then those
 * of `base` by what they are for, then those that were made over the API, then the technical ones.
 */
export function purposesOf(models: readonly ModelDef[], modules: readonly Module[]): readonly Purpose[] {
  const modulesByName = new Map(modules.map((module) => [module.name, module]))
  const nameOf = (module: string) => modulesByName.get(module)?.title ?? module
  const titleOf = (model: ModelDef) => {
    if (isTechnical(model)) return TECHNICAL
    if (model.module === MANUAL) return MADE
    return (model.module === 'base' ? titleInBase(model) : undefined) ?? nameOf(model.module)
  }
  const downwards = modules.toReversed()
  // Of several modules with one title the first says what it is about: the others add to it.
  const summaries = new Map(downwards.map(({ name, summary }) => [nameOf(name), summary]))
  const titles = [
    ...downwards.map(({ name }) => nameOf(name)),
    ...ofBase.map(([title]) => title),
    MADE,
    TECHNICAL,
  ]
  return [...Map.groupBy(models, titleOf)]
    .sort(([title], [other]) => titles.indexOf(title) - titles.indexOf(other))
    .map(([title, members]) => ({
      title,
      summary: summaries.get(title) ?? '',
      models: members
        .sort((model, other) => Number(isPart(model)) - Number(isPart(other)))
        .map(({ name }) => name),
      isTechnical: title === TECHNICAL,
    }))
}
