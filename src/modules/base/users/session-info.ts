// Session information of a client (ir.http): the user, their companies and the currencies
// (spec/client-needs.md section 3).

import { abstract, type Environment, implement, type Of, returns } from '#models'
import { only } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'

const http = abstract('ir.http', {
  label: 'HTTP Routing',
  fields: {},
  methods: {
    session_info: {
      doc: 'Returns the user, companies, currencies and preferences that browsers and client libraries need to start.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<Record<string, unknown>>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.http': Http
  }
  interface Http extends Of<typeof http> {}
}

const MAX_UPLOAD = 128 * 1024 * 1024

interface Facts {
  readonly partner_name: string
  readonly partner_write_date: string
  readonly base_url: string | null
  readonly groups: Record<string, boolean>
  readonly currencies: Record<string, unknown>
  readonly companies: Record<string, unknown>
}

export default implement(http, {
  methods: {
    session_info: async ({ env }) => {
      const { user } = env
      const facts = await factsOf(env)
      const isSystem = env.su || user.groups.has('base.group_system')
      const isInternal = user.groups.has('base.group_user')
      return {
        uid: user.id,
        is_system: isSystem,
        is_admin: isSystem,
        is_public: user.groups.has('base.group_public'),
        is_internal_user: isInternal,
        user_context: { lang: user.lang || false, tz: user.tz || false, uid: user.id },
        name: user.name,
        username: user.login,
        partner_id: user.partnerId,
        partner_display_name: facts.partner_name,
        partner_write_date: facts.partner_write_date,
        'web.base.url': facts.base_url ?? '',
        user_settings: { id: user.id, user_id: { id: user.id } },
        user_companies: {
          current_company: user.companyId,
          allowed_companies: facts.companies,
          disallowed_ancestor_companies: {},
        },
        currencies: facts.currencies,
        groups: facts.groups,
        max_file_upload_size: MAX_UPLOAD,
        active_ids_limit: 20_000,
        home_action_id: false,
        support_url: '',
        show_effect: true,
        registry_hash: env.unit.rights.version,
        bundle_params: { lang: user.lang || 'en_US' },
        view_info: {},
        quick_login: true,
        test_mode: false,
        tour_enabled: false,
        current_tour: false,
        websocket_worker_version: '19.0-1',
        profile_session: false,
        profile_collectors: false,
        profile_params: false,
      }
    },
  },
})

/** Groups without an external id are known by their number. */
const isNamed = (group: string): boolean => !group.startsWith('#')

/** Everything that is not known of the caller already, in one statement. */
async function factsOf(env: Environment): Promise<Facts> {
  const { user } = env
  const row = only(
    await env.rows(
      sql`SELECT json_build_object(
    'partner_name', COALESCE(p.complete_name, p.name, ''),
    'partner_write_date', to_char(p.write_date, 'YYYY-MM-DD HH24:MI:SS'),
    'base_url', (SELECT value FROM ir_config_parameter WHERE key = 'web.base.url'),
    'groups', ${JSON.stringify(Object.fromEntries([...user.groups].filter(isNamed).map((name) => [name, true])))}::json,
    'currencies', (SELECT COALESCE(json_object_agg(id, json_build_object('name', name, 'symbol', symbol, 'position', position,
        'digits', json_build_array(69, decimal_places))), '{}') FROM res_currency WHERE active),
    'companies', (SELECT COALESCE(json_object_agg(c.id, json_build_object('id', c.id, 'name', c.name, 'sequence', c.sequence,
        'parent_id', COALESCE(to_json(c.parent_id), 'false'), 'currency_id', c.currency_id,
        'child_ids', ARRAY(SELECT id FROM res_company WHERE parent_id = c.id AND active ORDER BY id))), '{}')
      FROM res_company c WHERE c.id = ANY(${idList(user.companyIds)}))
  )::text FROM res_partner p WHERE p.id = ${user.partnerId}::int`,
      { reads: ['ir.config_parameter', 'res.currency', 'res.company', 'res.partner'], row: ['text'] },
    ),
  )
  return JSON.parse(row[0]) as Facts
}
