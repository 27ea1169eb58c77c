// Users and rights of a new database: groups, built-in users, access lines, record rules, parameters.
import { randomUUID } from 'node:crypto'
import { type DataSet, type DataVals, type Environment, ref } from '#models'
import { nowUtc } from '../../../kit/dates.ts'
import { neededParameters } from '../reflection/ir-config-parameter.ts'
import { implying } from './access-lines.ts'
import { accessLines } from './security-access.ts'
import { recordRules } from './security-rules.ts'

const categories: DataSet = {
  model: 'ir.module.category',
  records: {
    module_category_administration: { name: 'Administration', sequence: 1 },
    module_category_usability: { name: 'Technical', sequence: 101 },
    module_category_hidden: { name: 'Hidden', sequence: 200, visible: false },
    module_category_sales: { name: 'Sales', sequence: 5 },
    module_category_inventory: { name: 'Inventory', sequence: 10 },
    module_category_accounting: { name: 'Accounting', sequence: 15 },
  },
}

const privileges: DataSet = {
  model: 'res.groups.privilege',
  records: {
    res_groups_privilege_contact: {
      name: 'Contact',
      sequence: 10,
      category_id: ref('base.module_category_administration'),
    },
    res_groups_privilege_export: {
      name: 'Export',
      sequence: 20,
      category_id: ref('base.module_category_administration'),
    },
  },
}

/** Each group after those that it implies. */
const groups: DataSet = {
  model: 'res.groups',
  records: {
    group_no_one: { name: 'Technical Features' },
    group_sanitize_override: { name: 'Bypass HTML Field Sanitize' },
    group_multi_company: { name: 'Multi Companies' },
    group_multi_currency: { name: 'Multi Currencies' },
    group_user: {
      name: 'Role / User',
      implied_ids: implying('base.group_no_one'),
      api_key_duration: 90,
      comment: 'Signs in and sees what everybody of the company may see.',
    },
    group_portal: {
      name: 'Role / Portal',
      share: true,
      comment: 'Members see what is shared with them, through the portal.',
    },
    group_public: { name: 'Role / Public', share: true, comment: 'Visitors who have not signed in.' },
    group_partner_manager: { name: 'Creation', privilege_id: ref('base.res_groups_privilege_contact') },
    group_allow_export: { name: 'Allowed', privilege_id: ref('base.res_groups_privilege_export') },
    group_erp_manager: {
      name: 'Access Rights',
      implied_ids: implying('base.group_user'),
      comment: 'Creates users and gives them rights.',
    },
    'api_doc.group_allow_doc': { name: 'Dynamic API documentation' },
    group_system: {
      name: 'Role / Administrator',
      implied_ids: implying(
        'base.group_erp_manager',
        'base.group_sanitize_override',
        'api_doc.group_allow_doc',
      ),
      comment: 'Changes settings, users and modules.',
    },
  },
}

/** In this order: contacts 2, 3 and 4 come after that of the main company, users are 1, 2, 3 and 4. */
const contacts: DataSet = {
  model: 'res.partner',
  noupdate: true,
  records: {
    partner_root: { name: 'System', active: false, company_id: ref('base.main_company') },
    partner_admin: { name: 'Administrator', company_id: ref('base.main_company') },
    public_partner: { name: 'Public user', active: false },
    template_portal_user_id_res_partner: { name: 'Portal User Template', active: false },
  },
}

const inMainCompany: DataVals<'res.users'> = {
  company_id: ref('base.main_company'),
  company_ids: [[6, 0, [ref('base.main_company')]]],
}

const users: DataSet = {
  model: 'res.users',
  noupdate: true,
  records: {
    user_root: {
      ...inMainCompany,
      login: '__system__',
      active: false,
      partner_id: ref('base.partner_root'),
      group_ids: implying('base.group_user'),
    },
    user_admin: {
      ...inMainCompany,
      login: 'admin',
      partner_id: ref('base.partner_admin'),
      group_ids: implying(
        'base.group_system',
        'base.group_erp_manager',
        'base.group_user',
        'base.group_partner_manager',
        'base.group_allow_export',
        'base.group_multi_company',
      ),
    },
    public_user: {
      ...inMainCompany,
      login: 'public',
      active: false,
      partner_id: ref('base.public_partner'),
      group_ids: implying('base.group_public'),
    },
    template_portal_user_id: {
      ...inMainCompany,
      login: 'portaltemplate',
      active: false,
      partner_id: ref('base.template_portal_user_id_res_partner'),
      group_ids: implying('base.group_portal'),
    },
  },
}

/** Texts that the server itself reads; uuid and secret are a database's own. */
const parameters = (env: Environment): DataSet => ({
  model: 'ir.config_parameter',
  noupdate: true,
  records: {
    param_database_uuid: { key: neededParameters.database_uuid, value: randomUUID() },
    param_database_secret: { key: neededParameters.database_secret, value: randomUUID() },
    param_database_create_date: { key: neededParameters.database_create_date, value: nowUtc(env.now()) },
    param_web_base_url: { key: neededParameters.web_base_url, value: 'http://localhost:8069' },
    param_login_cooldown_after: { key: neededParameters.login_cooldown_after, value: '10' },
    param_login_cooldown_duration: { key: neededParameters.login_cooldown_duration, value: '60' },
    param_password_minlength: { key: 'auth_password_policy.minlength', value: '8' },
  },
})

/** Loaded before contacts and companies: a user needs groups. */
export const groupsData: readonly DataSet[] = [categories, privileges, groups]
/** After the main company. */
export const usersData: readonly (DataSet | ((env: Environment) => DataSet))[] = [
  contacts,
  users,
  accessLines,
  recordRules,
  parameters,
]
