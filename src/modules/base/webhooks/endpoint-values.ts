// Validates the values of a webhook endpoint before they are stored: URL, events, fields, and whose
// rights apply.

import { assertModel, fieldNamed, isTracked, type ModelDef, parseDomain } from '#engine'
import type { Environment, ModelName } from '#models'
import { AccessError, InvalidValue, UnprocessableEntity } from '../../../errors.ts'
import { everyModels, matchesPatterns } from '../../../kit/event-patterns.ts'
import { urlFlaw } from '../../../kit/outgoing.ts'
import { present } from '../../../kit/present.ts'

/** Patterns, and models and fields that are named; deliveries under way at a time. */
const [MOST_PATTERNS, MOST_MODELS, MOST_FIELDS, MOST_AT_ONCE] = [50, 50, 100, 16]

type Vals = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const refused = (message: string) => new UnprocessableEntity(message, { code: 'url_refused' })

/**
 * Judges what is given; `env` is the environment of whose rights payloads are made with. Throws
 * UnprocessableEntity, InvalidValue, and AccessError for what they may not read.
 */
export function validateEndpoint(env: Environment, vals: Vals): void {
  const { url, events, fields, changed_fields, model_domain, concurrency } = vals
  if (url !== undefined) assertUrl(url)
  if (events !== undefined) assertEvents(env, events)
  if (fields !== undefined) byModel(env, 'fields', fields, namesOf)
  if (changed_fields !== undefined) byModel(env, 'changed_fields', changed_fields, namesOf)
  if (model_domain !== undefined) byModel(env, 'model_domain', model_domain, domainOf)
  if (concurrency !== undefined && !isWhole(concurrency, 1, MOST_AT_ONCE))
    throw new InvalidValue(`concurrency must be a whole number from 1 to ${MOST_AT_ONCE}.`)
}

const isWhole = (value: unknown, least: number, most: number) =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most

function assertUrl(url: unknown): void {
  const flaw = typeof url === 'string' ? urlFlaw(url) : 'url must be a text.'
  if (flaw) throw refused(flaw)
}

/** Every pattern must match something: a misspelt one would never fire. */
function assertEvents(env: Environment, events: unknown): void {
  if (!Array.isArray(events) || events.length === 0 || events.length > MOST_PATTERNS)
    throw new InvalidValue(`events must be a list of 1 to ${MOST_PATTERNS} patterns.`)
  const { registry } = env.unit
  const tracked = [...registry.models.values()].filter(isTracked)
  for (const pattern of events) {
    if (typeof pattern !== 'string' || pattern.length > 200 || pattern.includes(','))
      throw new InvalidValue('Each event pattern must be a text such as sale.order.*')
    const means = matchesPatterns([pattern], (name) => registry.get(name) !== undefined)
    const meant = tracked.filter((model) =>
      namesIn(model).some((event) => means({ model: model.name, event })),
    )
    if (meant.length === 0)
      throw new UnprocessableEntity(`Unknown event '${pattern}'.`, { code: 'url_refused' })
    // Further models that a pattern matches are left out where the caller may not read them.
    if (!meant.some((model) => mayRead(env, model))) assertModel(env, present(meant[0]), 'read')
  }
}

const namesIn = (model: ModelDef): readonly string[] => [
  ...everyModels,
  ...Object.keys(model.options.events ?? {}),
]

const mayRead = (env: Environment, model: ModelDef) =>
  env.su || env.unit.rights.mayModel(env.user, model, 'read')

function byModel(
  env: Environment,
  member: string,
  memberValue: unknown,
  check: (env: Environment, model: ModelDef, value: unknown) => void,
): void {
  if (memberValue === null || memberValue === false) return
  if (!isObject(memberValue) || Object.keys(memberValue).length > MOST_MODELS)
    throw new InvalidValue(`${member} must be an object by model, of ${MOST_MODELS} at most.`)
  for (const [name, value] of Object.entries(memberValue)) {
    const model = env.unit.registry.get(name)
    if (!model || !isTracked(model))
      throw refused(`Webhooks do not report changes of the model '${name.slice(0, 100)}'.`)
    assertModel(env, model, 'read')
    check(env, model, value)
  }
}

function namesOf(env: Environment, model: ModelDef, names: unknown): void {
  if (!Array.isArray(names) || names.length > MOST_FIELDS)
    throw new InvalidValue(`Fields of ${model.name} must be a list of ${MOST_FIELDS} names at most.`)
  for (const name of names) fieldNamed(env, model, name)
}

function domainOf(_env: Environment, model: ModelDef, domain: unknown): void {
  if (!Array.isArray(domain)) throw new InvalidValue(`The domain of ${model.name} must be a list.`)
  parseDomain(domain)
}

/** Throws InvalidValue, AccessError for domains that nothing can be found by: judged as they will be read. */
export async function assertDomains(env: Environment, domains: unknown): Promise<void> {
  if (!isObject(domains)) return
  for (const [name, domain] of Object.entries(domains))
    if (Array.isArray(domain) && domain.length)
      await env.model(name as ModelName).invoke('search', { domain: [['id', '=', 0], ...domain], limit: 1 })
}

/** Throws AccessError for an endpoint of somebody else's by people who administer nothing. */
export function assertOwner(env: Environment, user: unknown): void {
  if (user !== undefined && user !== env.uid && !env.su && !env.hasGroup('base.group_system'))
    throw new AccessError(
      'Only administrators may create endpoints that send with the rights of other users.',
    )
}
