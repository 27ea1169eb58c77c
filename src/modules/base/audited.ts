// Audited fields of this module. Rights, logins and keys have entries of their own (rights/rights-audit.ts).
import { audited } from '#models'

export const auditedModels = [
  audited('res.company', { fields: ['name', 'currency_id', 'parent_id'] }),
  // Without contents of fields, such as pictures.
  audited('ir.attachment', {
    fields: ['name', 'res_model', 'res_id', 'type', 'url', 'public', 'file_size', 'checksum'],
    unless: 'res_field',
    create: true,
    unlink: true,
  }),
  audited('ir.default', {
    fields: ['field_id', 'user_id', 'company_id', 'condition', 'json_value'],
    create: true,
    unlink: true,
  }),
  audited('ir.mail_server', {
    fields: ['name', 'smtp_host', 'smtp_port', 'smtp_user', 'smtp_pass', 'smtp_encryption', 'active'],
    secret: ['smtp_pass'],
    create: true,
    unlink: true,
  }),
  audited('ir.actions.server', {
    fields: ['state', 'model_id', 'code', 'group_ids'],
    create: true,
    unlink: true,
  }),
  audited('ir.cron', {
    fields: ['cron_name', 'active', 'user_id', 'interval_number', 'interval_type'],
    create: true,
    unlink: true,
  }),
  audited('ir.sequence', {
    fields: ['name', 'code', 'implementation', 'prefix', 'suffix', 'padding', 'number_next', 'active'],
    create: true,
    unlink: true,
  }),
  audited('res.currency.rate', {
    fields: ['name', 'rate', 'currency_id', 'company_id'],
    create: true,
    unlink: true,
  }),
  audited('res.partner.bank', {
    fields: ['acc_number', 'partner_id', 'bank_id', 'allow_out_payment', 'active'],
    unlink: true,
  }),
]
