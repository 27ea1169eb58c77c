// The wizard for new API keys: description, duration, then the password, then the key once
// (spec/client-needs.md section 7).
import {
  char,
  datetime,
  type Environment,
  implement,
  type Of,
  required,
  returns,
  selection,
  transient,
} from '#models'
import { AccessError, InvalidValue, UserError, ValidationError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { shownWindow } from '../shown.ts'
import { longestKeyDuration } from '../users/groups-closure.ts'
import { checkedScope, parseAddresses } from './apikeys-restrict.ts'
import { assertLife, lastEnd } from './apikeys-rules.ts'
import { storeKey } from './apikeys-store.ts'

const DAY = 86_400_000

/** Durations that the form of a new key offers. */
interface Durations {
  readonly choices: readonly (readonly [string, string])[]
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  readonly until: string
}

const labels = {
  '1': '1 Day',
  '7': '1 Week',
  '30': '1 Month',
  '90': '3 Months',
  '-1': 'Custom Date',
} as const

const description = transient('res.users.apikeys.description', {
  label: 'API Key Description',
  fields: {
    name: char({ label: 'Description', required: true }),
    duration: selection(labels, { label: 'Duration', required: true, default: '1' }),
    expiration_date: datetime({ label: 'Expiration Date' }),
    scope: char({ label: 'Scope', help: 'Scope of the key; `rpc` by default.' }),
    addresses: char({
      label: 'Addresses',
      help: 'Address ranges that the key can be used from. Empty: everywhere.',
    }),
  },
  methods: {
    durations: {
      doc: 'Returns the durations that a new key of the caller may have, and the latest possible end.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<Durations>(
        'object',
        'dict',
        'choices: pairs of a duration and its label, until: a moment in UTC',
      ),
    },
    make_key: {
      doc: 'The action that asks for the password. The key is created and shown afterwards.',
      secret: true,
      lasting: true,
      params: {},
      returns: returns<object>('object', 'dict'),
    },
    check_access_make_key: {
      doc: 'Whether the caller may create keys: internal and portal users may.',
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
    finish_key: {
      doc: 'Checks the password, creates the key, and returns the action that shows it.',
      private: true,
      params: { confirmed: required<true>('boolean') },
      returns: returns<object>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface Models {
    'res.users.apikeys.description': ApiKeyDescription
  }
  interface ApiKeyDescription extends Of<typeof description> {}
}

type Wizard = { readonly duration: string; readonly expiration_date: string | null }

/**
 * The moment a wizard's key ends: its date, or so many days from now; three months are never longer than the
 * calendar's.
 */
export function endOf({ duration, expiration_date }: Wizard, now: Date): string | null {
  if (duration === '-1') return expiration_date
  const end = nowUtc(new Date(now.getTime() + Number(duration) * DAY))
  const last = lastEnd(null, now)
  return duration === '90' && end > last ? last : end
}

/** Days that the caller's groups allow; null for administrators, who are exempt. */
async function daysAllowed(env: Environment): Promise<number | null> {
  return env.hasGroup('base.group_system') ? null : longestKeyDuration(env, env.uid)
}

export default implement(description, {
  methods: {
    durations: async ({ env }) => {
      const now = env.now()
      const until = lastEnd(await daysAllowed(env), now)
      // Integers come first among the keys of objects, by size.
      const choices = Object.entries(labels).filter(
        ([duration]) => (endOf({ duration, expiration_date: null }, now) ?? '') <= until,
      )
      return { choices, until }
    },
    make_key: async (wizards) => {
      wizards.ensureOne()
      return wizards.env
        .model('res.users.identitycheck')
        .ask({ model: 'res.users.apikeys.description', ids: wizards.ids, method: 'make_key' })
    },
    check_access_make_key: ({ env }) => {
      if (!env.hasGroup('base.group_user') && !env.hasGroup('base.group_portal')) {
        throw new UserError('Only internal and portal users can create API keys.')
      }
      return null
    },
    finish_key: async (wizards, { confirmed }) => {
      if (!confirmed) throw new InvalidValue('The password check is missing: confirm your identity first.')
      const { env } = wizards
      if (env.unit.rights.narrow)
        throw new AccessError('A scoped API key can only create keys with its own scope: use `generate`.')
      const wizard = await wizards.one(['name', 'duration', 'expiration_date', 'scope', 'addresses'])
      const [scope, addresses] = [checkedScope(wizard.scope || 'rpc'), parseAddresses(wizard.addresses)]
      const expiration = endOf(wizard, env.now())
      assertLife(expiration, await daysAllowed(env), env.now())
      if (!wizard.name.trim()) throw new ValidationError('An API key needs a description.')
      const key = await storeKey(env, { user: env.uid, scope, addresses, name: wizard.name, expiration })
      await wizards.sudo().unlink()
      return shownWindow({
        name: 'API Key Ready',
        res_model: 'res.users.apikeys.show',
        views: [[false, 'form']],
        target: 'new',
        context: { default_key: key },
      })
    },
  },
})
