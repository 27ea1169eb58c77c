// Compares the names that clients of the recorded system use (names.json) with those that the modules
// declare.
import { readFileSync } from 'node:fs'
import { composeRegistry } from '../../src/models/registry/registry.ts'
import { modules } from '../../src/modules/index.ts'

/** A: clients read or call it. B: data that a migration keeps. C: helpers of a user interface. */
const priorities = ['A', 'B', 'C'] as const
type Priority = (typeof priorities)[number]

/** Fields and methods of a model, as words of a line. */
export interface Names {
  readonly fields?: string
  readonly methods?: string
}

const kinds = ['fields', 'methods'] as const
/** Models → names. */
export type ByModel = Record<string, Names>

export const recorded: Record<string, Partial<Record<Priority, Names>>> = JSON.parse(
  readFileSync(new URL('names.json', import.meta.url), 'utf8'),
)

/** Files of `missing/`, by the models that are in them; the first that fits has a model. */
const lists = {
  books: /^(account|sale|purchase|crm)\.|^res\.(company|currency|partner\.bank)$/,
  goods: /^(stock|product|pos|uom)\.|^res\.(partner|users|lang|country)$/,
  others: /./,
} as const
export type List = keyof typeof lists
export const listNames: readonly List[] = ['books', 'goods', 'others']

export const listOf = (model: string): List => listNames.find((name) => lists[name].test(model)) ?? 'others'

export const words = (text: string | undefined): string[] => text?.split(' ').filter(Boolean) ?? []

/** The recorded names of some priorities that modules here do not declare. */
export function missingOf(chosen: readonly Priority[]): ByModel {
  const { models } = composeRegistry(modules)
  const missing: ByModel = {}
  for (const [model, byPriority] of Object.entries(recorded)) {
    const metadata = models.get(model)
    const names: { fields?: string; methods?: string } = {}
    for (const kind of kinds) {
      const absent = chosen
        .flatMap((priority) => words(byPriority[priority]?.[kind]))
        .filter((name) => !metadata?.[kind].has(name) || metadata.fields.get(name)?.options.hidden)
      if (absent.length) names[kind] = absent.toSorted().join(' ')
    }
    if (Object.keys(names).length) missing[model] = names
  }
  return missing
}

/** Names that are still to come, as `missing/LIST.json` says. */
export const listed = (list: List): ByModel =>
  JSON.parse(readFileSync(new URL(`missing/${list}.json`, import.meta.url), 'utf8'))

/** The page of what is not offered, from the names of priority C that are missing. */
export function pageOf(missing: ByModel): string {
  const rows = Object.entries(missing).map(
    ([model, { fields, methods }]) =>
      `| ${model} | ${words(fields).join(' ')} | ${words(methods).join(' ')} |`,
  )
  return `# Names that are not offered
The recorded system has helpers of its user interface that this server does not offer. A client that names one gets a 422 that says so.
\`node --import ./bin/imports.js test/coverage/run.ts --update\` writes this page; a test keeps it true.

| Model | Fields | Methods |
| --- | --- | --- |
${rows.join('\n')}
`
}
