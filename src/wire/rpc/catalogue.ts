// Languages, countries and applications that can be chosen before there is any database: read from the
// modules and the data that they bring.
import type { Module } from '#models'

/** Pairs of code and name, in the order of the names. */
export interface Catalogue {
  readonly languages: readonly (readonly [string, string])[]
  readonly countries: readonly (readonly [string, string])[]
  /** Modules that people choose, by name and title. */
  readonly applications: readonly (readonly [string, string])[]
}

/**
 * The catalogue of a list of modules: the applications among them, and their records of `res.lang` and
 * `res.country`; country codes in lower case.
 */
export function catalogueOf(modules: readonly Module[]): Catalogue {
  return {
    languages: pairs(modules, 'res.lang', (code) => code),
    countries: pairs(modules, 'res.country', (code) => code.toLowerCase()),
    applications: sorted(
      modules.filter(({ application }) => application).map(({ name, title = name }) => [name, title]),
    ),
  }
}

function pairs(
  modules: readonly Module[],
  model: string,
  spell: (code: string) => string,
): [string, string][] {
  const entries: [string, string][] = []
  for (const data of modules.flatMap((module) => module.data ?? [])) {
    if (typeof data === 'function' || data.model !== model) continue
    for (const { code, name } of Object.values<Readonly<Record<string, unknown>>>(data.records))
      if (typeof code === 'string' && typeof name === 'string') entries.push([spell(code), name])
  }
  return sorted(entries)
}

const sorted = (choices: [string, string][]): [string, string][] =>
  choices.sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0))
