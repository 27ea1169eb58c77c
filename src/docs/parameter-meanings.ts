// Parameters that have a form of their own, explained with examples; documents for programs say it shorter.
import { type Html, html } from '../kit/html.ts'

interface Meaning {
  readonly words: string
  readonly examples: readonly string[]
  /** The guide that says more. */
  readonly guide: string
}

const VALUES = {
  words:
    'Values by field: links as ids, dates as text, lines as commands, such as [0, 0, {…}] for a new one.',
  examples: ['{"name": "Ann", "country_id": 20}', '{"child_ids": [[0, 0, {"name": "Bob"}]]}'],
  guide: 'records',
}

const MEANINGS: Readonly<Record<string, Meaning>> = {
  domain: {
    words:
      'Conditions [field, operator, value], all of which must hold; "|" before two means either, "!" before one means not. A field may be a path over relations. An empty list matches all records.',
    examples: [
      '[["name", "ilike", "wood"], ["active", "=", true]]',
      '["|", ["country_id.code", "=", "BE"], ["email", "=", false]]',
    ],
    guide: 'domains',
  },
  vals: VALUES,
  vals_list: {
    ...VALUES,
    words: `One object for each new record. ${VALUES.words}`,
    examples: VALUES.examples.map((example) => `[${example}]`),
  },
  context: {
    words:
      'Settings of the whole call: language and time zone, companies, archived records, defaults for new records.',
    examples: [
      '{"lang": "fr_FR", "tz": "Europe/Brussels"}',
      '{"active_test": false, "allowed_company_ids": [1], "default_city": "Ghent"}',
    ],
    guide: 'records',
  },
}

/** The meaning of a parameter; null where its own text says all. */
export function meaningOf(parameter: string): Html | null {
  const meaning = Object.hasOwn(MEANINGS, parameter) ? MEANINGS[parameter] : undefined
  if (!meaning) return null
  const examples = meaning.examples.map((example) => html`<code class="block">${example}</code>`)
  const more = html`<p><a href="/doc/guides/${meaning.guide}">More about it</a></p>`
  return html`<p>${meaning.words}</p>${examples}${more}`
}
