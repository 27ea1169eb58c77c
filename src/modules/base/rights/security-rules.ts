// Record rules of the base module: which records of a model who may touch (spec/wire.md section 9).
import { companyIds, type DataSet, recordRule, ruleDomain, user } from '#models'

const ownKeys = ruleDomain([['user_id', '=', user.id]])
const companies = ruleDomain([['id', 'in', companyIds]])
const everything = ruleDomain([[1, '=', 1]])
const group = (...names: string[]) => names.map((name) => `base.group_${name}`)

const rules = {
  // Contacts of users are everybody's; others belong to a company or to none.
  res_partner_rule: recordRule('res.partner', [
    '|',
    '|',
    ['partner_share', '=', false],
    ['company_id', '=', false],
    ['company_id', 'parent_of', companyIds],
  ]),
  res_partner_portal_public_rule: recordRule(
    'res.partner',
    [['id', 'child_of', user.partner_id.commercial_partner_id.id]],
    { groups: group('portal', 'public') },
  ),
  res_partner_bank_rule: recordRule('res.partner.bank', [
    '|',
    ['company_id', 'in', companyIds],
    ['company_id', '=', false],
  ]),
  res_company_rule_employee: recordRule('res.company', companies, { groups: group('user') }),
  res_company_rule_portal: recordRule('res.company', companies, { groups: group('portal') }),
  res_company_rule_public: recordRule('res.company', companies, { groups: group('public') }),
  res_company_rule_erp_manager: recordRule('res.company', everything, { groups: group('erp_manager') }),
  res_currency_rate_rule: recordRule('res.currency.rate', [
    '|',
    ['company_id', '=', false],
    ['company_id', 'parent_of', companyIds],
  ]),
  res_users_rule: recordRule('res.users', ['|', ['share', '=', false], ['company_ids', 'in', companyIds]]),
  res_users_log_rule: recordRule('res.users.log', [['create_uid', '=', user.id]], { groups: group('user') }),
  res_users_log_manager_rule: recordRule('res.users.log', everything, { groups: group('erp_manager') }),
  res_users_portal_public_rule: recordRule('res.users', [['id', '=', user.id]], {
    groups: group('portal', 'public'),
  }),
  res_device_rule: recordRule('res.device', ownKeys),
  api_key_user: recordRule('res.users.apikeys', ownKeys, { groups: group('user', 'portal') }),
  api_key_admin: recordRule('res.users.apikeys', everything, { groups: group('system') }),
  api_key_use_user: recordRule('comptoir.key.use', ownKeys, { groups: group('user', 'portal') }),
  api_key_use_admin: recordRule('comptoir.key.use', everything, { groups: group('system') }),
  api_key_policy_user: recordRule('comptoir.key.policy', ownKeys, { groups: group('user', 'portal') }),
  api_key_policy_admin: recordRule('comptoir.key.policy', everything, { groups: group('system') }),
  webhook_user: recordRule('comptoir.webhook', ownKeys, { groups: group('user') }),
  webhook_admin: recordRule('comptoir.webhook', everything, { groups: group('system') }),
  webhook_delivery_user: recordRule('comptoir.webhook.delivery', ownKeys, { groups: group('user') }),
  webhook_delivery_admin: recordRule('comptoir.webhook.delivery', everything, { groups: group('system') }),
  api_key_description_own: recordRule('res.users.apikeys.description', [['create_uid', '=', user.id]]),
  identity_check_own: recordRule('res.users.identitycheck', [['create_uid', '=', user.id]]),
  ir_default_user_rule: recordRule('ir.default', ownKeys, { groups: group('user') }),
  ir_default_system_rule: recordRule('ir.default', everything, { groups: group('system') }),
  ir_filters_employee_rule: recordRule('ir.filters', [['user_ids', 'in', [false, user.id]]], {
    groups: group('user'),
    on: 'r',
  }),
  // Only administrators change default filters of all users.
  ir_filters_employee_write_rule: recordRule(
    'ir.filters',
    ['|', ['user_ids', 'in', [user.id]], '&', ['user_ids', '=', false], ['is_default', '=', false]],
    { groups: group('user'), on: 'wcd' },
  ),
  ir_filters_admin_rule: recordRule('ir.filters', everything, { groups: group('system') }),
  ir_sequence_rule: recordRule('ir.sequence', [['company_id', 'in', companyIds.orNone()]]),
  ir_model_data_readable_rule: recordRule('ir.model.data', [['readable', '=', true]], {
    groups: group('user'),
    on: 'r',
  }),
  ir_model_data_system_rule: recordRule('ir.model.data', everything, { groups: group('system'), on: 'r' }),
  ir_attachment_readable_rule: recordRule('ir.attachment', [['readable', '=', true]], { on: 'r' }),
  ir_attachment_writable_rule: recordRule('ir.attachment', [['writable', '=', true]], { on: 'wcd' }),
}

const records = Object.fromEntries(
  Object.entries(rules).map(([id, rule]) => [id, { ...rule, name: id.replaceAll('_', ' ') }]),
)

export const recordRules: DataSet = { model: 'ir.rule', noupdate: true, records }
