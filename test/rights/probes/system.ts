// Models about models, and what belongs to others.
import type { Ids } from '../vault-stage.ts'
import { type Group, groups, type Probe, probe, refused } from './probe.ts'

/**
 * The number of records that the clerk finds. Rules of contacts and users separate the other users from
 * them: they find none, or are refused.
 */
const counted = (
  title: string,
  model: string,
  domain: unknown[],
  clerk: unknown,
  others: unknown = 0,
): Probe =>
  probe(
    title,
    (_: Ids, person: string) => (person === 'clerk' ? clerk : others),
    () => ({ model, method: 'search_count', body: { domain } }),
  )

const inVault = [
  ['module', '=', 'vault'],
  ['model', 'in', ['vault.paper', 'vault.tag']],
]

export const systemProbes: readonly Probe[] = [
  ...[
    'ir.config_parameter',
    'ir.rule',
    'ir.model.access',
    'ir.logging',
    'ir.cron',
    'ir.mail_server',
    'ir.ui.view',
    'comptoir.audit',
  ].map((model) => probe(model, refused, () => ({ model, method: 'search_read', body: { domain: [] } }))),
  probe(
    'keys of others',
    (_: Ids, person: string) => (person === 'visitor' ? refused : 0),
    () => ({
      model: 'res.users.apikeys',
      method: 'search_count',
      body: { domain: [['user_id.login', '=', 'admin']] },
    }),
  ),
  probe('keys of everybody', refused, () => ({
    model: 'res.users.apikeys',
    method: 'overview',
    body: { everybody: true },
  })),
  probe(
    "one's own keys",
    (_: Ids, person: string) => (person === 'visitor' ? refused : [person]),
    () => ({ model: 'res.users.apikeys', method: 'overview', body: {} }),
    (keys: { user_id: [number, string] }[]) => keys.map(({ user_id }) => user_id[1]),
  ),
  counted('contacts of others', 'res.partner', [['name', '=', 'Administrator']], 1),
  counted('contacts by what their users are', 'res.partner', [['user_ids.login', '=', 'admin']], 1),
  counted('users', 'res.users', [['login', '=', 'admin']], 1),
  counted('users by their contacts', 'res.users', [['partner_id.name', '=', 'Administrator']], 1),
  counted('users by groups', 'res.users', [['group_ids.name', 'ilike', 'admin']], 1, refused),
  counted('groups', 'res.groups', [['full_name', '=', 'nobody is']], 0, refused),
  counted('external ids', 'ir.model.data', [['name', '=', 'nobody is']], 0, refused),
  counted('external ids of hidden records', 'ir.model.data', inVault, 1, refused),
  counted('external ids of models that are closed', 'ir.model.data', [['model', '=', 'ir.rule']], 0, refused),
  probe(
    'names of records by their external ids',
    (_: Ids, person: string) => (person === 'clerk' ? ['Blue'] : refused),
    () => ({
      model: 'ir.model.data',
      method: 'search_read',
      body: { domain: inVault, fields: ['display_name'] },
    }),
    (rows: Group[]) => rows.map((row) => row.display_name),
  ),
  counted('who made a record', 'vault.paper', [['create_uid.login', '=', '__system__']], 2),
  probe('users by their password', { refused: 422 }, () => ({
    model: 'res.users',
    method: 'search',
    body: { domain: [['password', '!=', false]] },
  })),
  probe(
    'groups by who made them',
    (_: Ids, person: string) => [[person === 'clerk' ? '__system__' : false, 2]],
    () => groups(['create_uid.login']),
    (groups: Group[]) => groups.map((group) => [group['create_uid.login'], group.__count]),
  ),
]
