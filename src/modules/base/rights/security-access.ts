// Access lines of the base module: who may read, write, create and remove records of which model
// (spec/wire.md section 9).
import { type DataSet, type DataSetOf, type DataVals, ref } from '#models'

type Group = 'user' | 'portal' | 'public' | 'system' | 'erp_manager' | 'partner_manager'
/** Letters of the operations granted: r, w, c, d (for unlink); none takes back what an earlier build granted. */
type Grant = '' | 'r' | 'rc' | 'rwc' | 'rwcd' | 'rw'

const everybody = { user: 'r', portal: 'r', public: 'r' } as const
const administered = { ...everybody, system: 'rwcd' } as const

const grants: Readonly<Record<string, Partial<Record<Group, Grant>>>> = {
  'res.partner': { user: 'r', portal: 'r', public: 'r', partner_manager: 'rwcd' },
  'res.partner.category': { user: 'r', partner_manager: 'rwcd' },
  'res.partner.industry': { user: 'r', partner_manager: 'r', system: 'rwcd' },
  'res.partner.bank': { user: 'r', partner_manager: 'rwcd' },
  'res.bank': { user: 'r', partner_manager: 'rwcd' },
  'res.country': administered,
  'res.country.state': administered,
  'res.country.group': administered,
  'res.currency': administered,
  'res.currency.rate': administered,
  'decimal.precision': administered,
  'res.config.settings': { system: 'rwcd' },
  'base.document.layout': { system: 'rwc' },
  'report.layout': { user: 'r', system: 'rwcd' },
  'res.lang': administered,
  'base.language.install': { system: 'rwc' },
  'res.company': { ...everybody, erp_manager: 'rwcd' },
  'properties.base.definition': { user: 'r', partner_manager: 'rw', system: 'rwcd' },
  'res.users': { ...everybody, erp_manager: 'rwcd' },
  'res.users.log': { user: 'r', erp_manager: 'r' },
  'res.groups': { user: 'r', erp_manager: 'rwcd' },
  'res.groups.privilege': { user: 'r', erp_manager: 'rwcd' },
  'res.users.apikeys': { user: 'r', portal: 'r' },
  'comptoir.key.use': { user: 'r', portal: 'r' },
  'comptoir.key.policy': { user: 'rwcd', portal: 'rwcd' },
  'comptoir.webhook': { user: 'rwcd' },
  'comptoir.webhook.delivery': { user: 'r' },
  'comptoir.audit': { system: 'r' },
  'comptoir.chain': { system: 'r' },
  'comptoir.chain.link': { system: 'r' },
  'comptoir.audit.line': { system: 'r' },
  'res.users.apikeys.description': { user: 'rwcd', portal: 'rwcd' },
  'res.users.apikeys.show': { user: 'r', portal: 'r' },
  'res.users.identitycheck': { user: 'rw', portal: 'rw' },
  'ir.model': { erp_manager: 'r', system: 'rwcd' },
  // Fields are described by `fields_get`; their rows are for those who administer the database.
  'ir.model.fields': { user: '', erp_manager: 'r', system: 'rwcd' },
  'ir.model.fields.selection': { user: 'r', erp_manager: 'r', system: 'rwcd' },
  'ir.model.data': { erp_manager: 'r', system: 'rwcd' },
  'ir.model.access': { erp_manager: 'rwcd' },
  'ir.rule': { erp_manager: 'r', system: 'rwcd' },
  'ir.config_parameter': { system: 'rwcd' },
  'ir.sequence': { user: 'r', system: 'rwcd' },
  'ir.sequence.date_range': { user: 'r', system: 'rwcd' },
  'ir.attachment': { user: 'rwcd', portal: '', public: 'r' },
  'ir.default': { user: 'rwcd' },
  'ir.filters': { user: 'rwcd' },
  'ir.module.module': { system: 'rwcd' },
  'ir.module.module.dependency': { system: 'r' },
  'ir.module.module.exclusion': { system: 'rwcd' },
  'ir.module.category': { user: 'r', system: 'rwcd' },
  'ir.cron': { system: 'rwcd' },
  'ir.cron.trigger': { system: 'rwcd' },
  'ir.actions.server': { system: 'rwcd' },
  'ir.actions.actions': { user: 'r', system: 'rwcd' },
  'ir.actions.act_window': { user: 'r', system: 'rwcd' },
  'ir.actions.act_window.view': { user: 'r', system: 'rwcd' },
  'ir.actions.act_url': { user: 'r', system: 'rwcd' },
  'ir.embedded.actions': { user: 'r', system: 'rwcd' },
  'ir.actions.report': { user: 'r', system: 'rwcd' },
  'report.paperformat': { user: 'r', system: 'rwcd' },
  'ir.actions.todo': { system: 'rwcd' },
  'ir.ui.menu': { user: 'r', system: 'rwcd' },
  'ir.ui.view': { system: 'rwcd' },
  'ir.logging': { system: 'rwcd' },
  'ir.mail_server': { system: 'rwcd' },
  'rpc.deprecated.call': { system: 'r' },
  'res.device': { user: 'r', portal: 'r' },
}

/** `access_res_partner_user` and so on. */
function lines(): DataSetOf<'ir.model.access'>['records'] {
  const records: Record<string, DataVals<'ir.model.access'>> = {}
  for (const [model, groups] of Object.entries(grants)) {
    const table = model.replaceAll('.', '_')
    for (const [group, grant] of Object.entries(groups)) {
      records[`access_${table}_${group}`] = {
        name: `${model} ${group}`,
        model_id: ref(`base.model_${table}`),
        group_id: ref(`base.group_${group}`),
        perm_read: grant.includes('r'),
        perm_write: grant.includes('w'),
        perm_create: grant.includes('c'),
        perm_unlink: grant.includes('d'),
      }
    }
  }
  return records
}

export const accessLines: DataSet = { model: 'ir.model.access', records: lines() }
