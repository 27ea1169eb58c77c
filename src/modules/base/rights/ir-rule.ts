// Record rules (ir.rule): which records of a model an operation may touch, for everybody or for members of
// groups (spec/wire.md section 9).

import { compileDomain, type ModelDef, needsPreparation, prepareDomain, trialConditions } from '#engine'
import {
  boolean,
  char,
  computed,
  type Environment,
  idsWhere,
  implement,
  many2many,
  many2one,
  model,
  type Of,
  type Records,
  text,
} from '#models'
import { ServiceError, ValidationError } from '../../../errors.ts'
import { scopeOver } from '../../../models/engine.ts'
import { auditWraps } from './rights-audit.ts'
import { changingRights, writingRights } from './rights-changes.ts'

const rule = model('ir.rule', {
  label: 'Record Rule',
  order: 'model_id DESC, id',
  rules: {
    no_access_rights: {
      check: 'perm_read OR perm_write OR perm_create OR perm_unlink',
      message: 'Rule must have at least one checked access right!',
    },
  },
  fields: {
    name: char({ label: 'Name' }),
    active: boolean({ label: 'Active', default: true, help: 'An inactive rule hides nothing.' }),
    model_id: many2one('ir.model', { label: 'Model', required: true, index: true, ondelete: 'cascade' }),
    groups: many2many('res.groups', {
      label: 'Groups',
      relation: { table: 'rule_group_rel', column: 'rule_group_id', other: 'group_id' },
    }),
    domain_force: text({
      label: 'Domain',
      help: 'A domain over user, company_id and company_ids; empty: everything.',
    }),
    perm_read: boolean({ label: 'Read', default: true }),
    perm_write: boolean({ label: 'Write', default: true }),
    perm_create: boolean({ label: 'Create', default: true }),
    perm_unlink: boolean({ label: 'Delete', default: true }),
    global: boolean({
      label: 'Global',
      computed: true,
      stored: true,
      help: 'A rule without groups is for everybody.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'ir.rule': IrRule
  }
  interface IrRule extends Of<typeof rule> {}
}

/**
 * Throws ValidationError for rules on rules, on models that are not there, and for domains that make no
 * sense.
 */
async function assertSense(env: Environment, ids: readonly number[]): Promise<void> {
  const rules = await env.sudo().model('ir.rule').browse(ids).load(['model_id.model', 'domain_force'])
  for (const { model_id, domain_force } of rules) {
    if (model_id.model === 'ir.rule')
      throw new ValidationError('Rules can not be applied on the Record Rules model.')
    const def = env.unit.registry.get(model_id.model)
    if (!def)
      throw new ValidationError(`Record rules need an existing model: ${model_id.model} does not exist.`)
    await assertDomain(env.sudo(), def, domain_force)
  }
}

/**
 * Throws ValidationError unless the text is a domain over the model; an empty one lets everything through.
 */
async function assertDomain(env: Environment, def: ModelDef, text: string | null): Promise<void> {
  try {
    const tree = trialConditions(env, text)
    compileDomain(
      scopeOver(env, def),
      needsPreparation(def, tree) ? await prepareDomain(env, def, tree) : tree,
    )
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ValidationError(`Invalid domain: ${error.message}`, { cause: error })
  }
}

const audited = auditWraps<Records<'ir.rule'>>('ir.rule')

export default implement(rule, {
  computed: {
    global: computed(rule, ['groups'], (r) => r.groups.length === 0),
  },
  wrapWrite: (next) =>
    audited.write(
      writingRights(async (records, changes) => {
        await next(records, changes)
        const changedIds = idsWhere(changes, (vals) => 'domain_force' in vals || 'model_id' in vals)
        if (changedIds.length) await assertSense(records.env, changedIds)
      }),
    ),
  wrapGeneric: {
    create: (next) =>
      audited.create(
        changingRights(async (records, params) => {
          const createdRules = (await next(records, params)) as typeof records
          await assertSense(records.env, createdRules.ids)
          return createdRules
        }),
      ),
    unlink: (next) => audited.unlink(changingRights(next)),
  },
})
