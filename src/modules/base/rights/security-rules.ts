// Record rules of the base module: which records of a model who may touch (spec/wire.md section 9).
import { type DataSet, ref } from '#models'

interface Rule {
  readonly model: string
  readonly domain: string
  /** Names of groups without their prefix; none: everybody. */
  readonly groups?: readonly string[]
  /** Operations that it is about: r, w, c, d (for unlink). Default: all. */
  readonly on?: string
}

const ownKeys = "[('user_id', '=', user.id)]"
const companies = "[('id', 'in', company_ids)]"
const everything = "[(1, '=', 1)]"

const rules: Readonly<Record<string, Rule>> = {
  // Contacts of users are everybody's; others belong to a company or to none.
  res_partner_rule: {
    model: 'res.partner',
    domain:
      "['|', '|', ('partner_share', '=', False), ('company_id', 'parent_of', company_ids), ('company_id', '=', False)]",
  },
  res_partner_portal_public_rule: {
    model: 'res.partner',
    domain: "[('id', 'child_of', user.partner_id.commercial_partner_id.id)]",
    groups: ['portal', 'public'],
  },
  res_partner_bank_rule: {
    model: 'res.partner.bank',
    domain: "['|', ('company_id', 'in', company_ids), ('company_id', '=', False)]",
  },
  res_company_rule_employee: { model: 'res.company', domain: companies, groups: ['user'] },
  res_company_rule_portal: { model: 'res.company', domain: companies, groups: ['portal'] },
  res_company_rule_public: { model: 'res.company', domain: companies, groups: ['public'] },
  res_company_rule_erp_manager: { model: 'res.company', domain: everything, groups: ['erp_manager'] },
  res_currency_rate_rule: {
    model: 'res.currency.rate',
    domain: "['|', ('company_id', '=', False), ('company_id', 'parent_of', company_ids)]",
  },
  res_users_rule: {
    model: 'res.users',
    domain: "['|', ('share', '=', False), ('company_ids', 'in', company_ids)]",
  },
  res_users_log_rule: { model: 'res.users.log', domain: "[('create_uid', '=', user.id)]", groups: ['user'] },
  res_users_log_manager_rule: { model: 'res.users.log', domain: everything, groups: ['erp_manager'] },
  res_users_portal_public_rule: {
    model: 'res.users',
    domain: "[('id', '=', user.id)]",
    groups: ['portal', 'public'],
  },
  api_key_user: { model: 'res.users.apikeys', domain: ownKeys, groups: ['user', 'portal'] },
  api_key_admin: { model: 'res.users.apikeys', domain: everything, groups: ['system'] },
  api_key_use_user: { model: 'comptoir.key.use', domain: ownKeys, groups: ['user', 'portal'] },
  api_key_use_admin: { model: 'comptoir.key.use', domain: everything, groups: ['system'] },
  api_key_policy_user: { model: 'comptoir.key.policy', domain: ownKeys, groups: ['user', 'portal'] },
  api_key_policy_admin: { model: 'comptoir.key.policy', domain: everything, groups: ['system'] },
  webhook_user: { model: 'comptoir.webhook', domain: ownKeys, groups: ['user'] },
  webhook_admin: { model: 'comptoir.webhook', domain: everything, groups: ['system'] },
  webhook_delivery_user: { model: 'comptoir.webhook.delivery', domain: ownKeys, groups: ['user'] },
  webhook_delivery_admin: { model: 'comptoir.webhook.delivery', domain: everything, groups: ['system'] },
  api_key_description_own: {
    model: 'res.users.apikeys.description',
    domain: "[('create_uid', '=', user.id)]",
  },
  identity_check_own: { model: 'res.users.identitycheck', domain: "[('create_uid', '=', user.id)]" },
  ir_default_user_rule: { model: 'ir.default', domain: ownKeys, groups: ['user'] },
  ir_default_system_rule: { model: 'ir.default', domain: everything, groups: ['system'] },
  ir_filters_employee_rule: {
    model: 'ir.filters',
    domain: "[('user_ids', 'in', [False, user.id])]",
    groups: ['user'],
  },
  ir_filters_admin_rule: { model: 'ir.filters', domain: everything, groups: ['system'] },
  ir_sequence_rule: { model: 'ir.sequence', domain: "[('company_id', 'in', company_ids + [False])]" },
  ir_model_data_readable_rule: {
    model: 'ir.model.data',
    domain: "[('readable', '=', True)]",
    groups: ['user'],
    on: 'r',
  },
  ir_model_data_system_rule: { model: 'ir.model.data', domain: everything, groups: ['system'], on: 'r' },
  ir_attachment_readable_rule: { model: 'ir.attachment', domain: "[('readable', '=', True)]", on: 'r' },
  ir_attachment_writable_rule: { model: 'ir.attachment', domain: "[('writable', '=', True)]", on: 'wcd' },
}

function records(): DataSet['records'] {
  return Object.fromEntries(
    Object.entries(rules).map(([name, { model, domain, groups = [], on = 'rwcd' }]) => [
      name,
      {
        name: name.replaceAll('_', ' '),
        model_id: ref(`base.model_${model.replaceAll('.', '_')}`),
        domain_force: domain,
        groups: [[6, 0, groups.map((group) => ref(`base.group_${group}`))]],
        perm_read: on.includes('r'),
        perm_write: on.includes('w'),
        perm_create: on.includes('c'),
        perm_unlink: on.includes('d'),
      },
    ]),
  )
}

export const recordRules: DataSet = { model: 'ir.rule', noupdate: true, records: records() }
