// Browser sessions as records (res.device): where users are signed in, without anything that opens a session.
import {
  boolean,
  char,
  computed,
  datetime,
  extend,
  implement,
  many2one,
  model,
  type Of,
  one2many,
  selection,
  text,
} from '#models'
import { sql } from '../../../sql/index.ts'

const only = { readonly: true } as const

/** The id of a session: 31 bits of a hash of that by which it is looked up. */
const idOf = (hash: string) =>
  `greatest(1, ('x' || left(encode(sha256('device' || ${hash}), 'hex'), 8))::bit(31)::int)`
const agentHas = (list: Readonly<Record<string, string>>) =>
  `CASE ${Object.entries(list)
    .map(([pattern, name]) => `WHEN s.agent ~* '${pattern}' THEN '${name}'`)
    .join(' ')} END`
const browsers = {
  'edg(e|a|ios)?/': 'edge',
  'opr/|opera': 'opera',
  'firefox/|fxios/': 'firefox',
  'chrom(e|ium)/|crios/': 'chrome',
  'safari/': 'safari',
}
const platforms = {
  android: 'android',
  'iphone|ipad|ipod': 'ios',
  windows: 'windows',
  'mac os': 'macos',
  cros: 'chromeos',
  linux: 'linux',
}

const device = model('res.device', {
  label: 'Devices',
  order: 'last_activity desc, id',
  recName: 'platform',
  logAccess: false,
  query: `SELECT ${idOf('s.token_hash')} AS id, s.owner_id AS user_id, left(encode(sha256('session' || s.token_hash), 'hex'), 16) AS session_identifier,
      s.made AS first_activity, s.used AS last_activity, s.address AS ip_address, s.address AS linked_ip_addresses, NULL::varchar AS city, NULL::varchar AS country,
      ${agentHas(browsers)} AS browser, ${agentHas(platforms)} AS platform, false AS revoked,
      CASE WHEN s.agent ~* 'mobile|android|iphone|ipad' THEN 'mobile' WHEN s.agent IS NOT NULL THEN 'computer' END AS device_type
    FROM browser_session s JOIN res_users o ON o.id = s.owner_id AND o.active AND o.password IS NOT DISTINCT FROM s.password
    WHERE s.used > now() AT TIME ZONE 'UTC' - interval '7 days' AND s.made > now() AT TIME ZONE 'UTC' - interval '30 days'`,
  fields: {
    user_id: many2one('res.users', { label: 'User', ...only }),
    session_identifier: char({
      label: 'Session Identifier',
      ...only,
      help: 'As `sessions` of users names it.',
    }),
    platform: char({ label: 'Platform', ...only }),
    browser: char({ label: 'Browser', ...only }),
    ip_address: char({ label: 'IP Address', ...only }),
    linked_ip_addresses: text({ label: 'Linked IP addresses', ...only }),
    country: char({ label: 'Country', ...only }),
    city: char({ label: 'City', ...only }),
    device_type: selection({ computer: 'Computer', mobile: 'Mobile' }, { label: 'Device Type', ...only }),
    first_activity: datetime({ label: 'First Activity', ...only }),
    last_activity: datetime({ label: 'Last Activity', ...only }),
    revoked: boolean({ label: 'Revoked', ...only, help: 'Ended sessions are not listed as devices.' }),
    is_current: boolean({ label: 'Current Device', computed: true }),
  },
})

const user = extend('res.users', {
  fields: { device_ids: one2many('res.device', 'user_id', { label: 'User devices' }) },
})

declare module '#models' {
  interface Models {
    'res.device': Device
  }
  interface Device extends Of<typeof device> {}
  interface User extends Of<typeof user> {}
}

export const devices = [
  implement(device, {
    computed: {
      is_current: computed(device, [], () => false, {
        sql: (scope) =>
          sql`COALESCE(${scope.column('session_identifier')} = left(encode(sha256('session'::bytea || ${scope.env.unit.services.guard?.sessionHash ?? null}::bytea), 'hex'), 16), FALSE)`,
      }),
    },
  }),
  implement(user),
]
