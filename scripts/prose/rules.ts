// Words and openings that the project does not use in prose, each with what to write instead.

interface Rule {
  readonly pattern: RegExp
  readonly instead: string
}

const RULES: readonly Rule[] = [
  { pattern: /\bas ever\b/gi, instead: 'leave it out' },
  { pattern: /\ball the same\b/gi, instead: '"anyway", or leave it out' },
  { pattern: /\bis none\b/gi, instead: '"does not exist", or "is not a …"' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, instead: 'fix, repair, correct' },
  { pattern: /\b(?:hears?|heard)\b/gi, instead: 'receive, learn, get' },
  { pattern: /\b(?:tells?|told|telling)\b(?! (?:\S+ ){0,2}apart)/gi, instead: 'report, return, say, name' },
  { pattern: /\bdoors?\b/gi, instead: 'endpoint, entry point' },
  { pattern: /\bwhoever\b/gi, instead: 'name the subject: "users who", "a caller that"' },
  { pattern: /(?<!")\bnobody\b/gi, instead: 'name the subject: "no user", "no call"' },
  { pattern: /\bbeside\b/gi, instead: 'with, next to, in addition to, while … runs' },
  {
    // A server stands behind a proxy, and a replica falls behind.
    pattern:
      /(?<!\b(?:is|are|was|falls?|lags?) )\bbehind\b(?! (?:an? |the |its )?(?:\w+ )?(?:prox|pooler|balancer|HAProxy|PgBouncer|firewall))/gi,
    instead: 'after, below, through',
  },
  { pattern: /(?<!\b(?:read|write|seconds|look)[- ])\bahead\b/gi, instead: 'before' },
]

/** Labels of fields are in title case: "How Invoices Are Sent". */
const OPENING = /^(?:Who|What|Whoever|Nobody|How(?!-| to\b| (?:the )?[A-Z]))\b/

/** The sentences of a text, without the marks of lists, quotations and emphasis in front of them. */
const sentencesOf = (text: string): readonly string[] =>
  text
    .split(/(?<=[.!?:])[*)"]*\s+|\s\|\s?/)
    .map((sentence) => sentence.replace(/^(?:\s|[*>|#-]|\d+\.)+/, '').trim())

/** One text that people read, and where it stands. */
export interface Prose {
  /** `docs/guides/files.md:12` */
  readonly at: string
  readonly text: string
}

/** Findings in a text, a line each: `docs/guides/files.md:12 "beside": with, next to …`. */
export function findings({ at, text }: Prose): readonly string[] {
  const words = text.replaceAll(/`[^`]*`/g, '`…`').replaceAll(/\]\([^)]*\)/g, ']')
  const avoided = RULES.flatMap(({ pattern, instead }) =>
    [...words.matchAll(pattern)].map(([word]) => `${at} "${word}": ${instead}`),
  )
  const openings = sentencesOf(words)
    .filter((sentence) => OPENING.test(sentence) && !sentence.endsWith('?'))
    .map((sentence) => `${at} "${sentence.slice(0, 30)}": begin with the subject`)
  return [...avoided, ...openings]
}
