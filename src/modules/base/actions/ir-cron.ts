// Scheduled jobs (ir.cron): a server action with a rhythm (spec/models-api.md section 10).
import {
  boolean,
  char,
  computed,
  type DataSet,
  datetime,
  implement,
  integer,
  type ModelName,
  many2one,
  model,
  type Of,
  ref,
  required,
  returns,
  selection,
} from '#models'
import { unknownModel } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { givenVals } from '../caller-arguments.ts'
import { assertAllowedAndExisting, assertNoneMissing } from '../rights/refusal.ts'
import { rhythms } from './ir-cron-rhythm.ts'
import { noteFailure, runDue, runNow } from './ir-cron-run.ts'

const cron = model('ir.cron', {
  label: 'Scheduled Actions',
  inherits: { 'ir.actions.server': 'ir_actions_server_id' },
  order: 'cron_name, id',
  recName: 'cron_name',
  rules: {
    check_strictly_positive_interval: {
      check: 'interval_number > 0',
      message: 'The interval number must be a strictly positive number.',
    },
  },
  fields: {
    ir_actions_server_id: many2one('ir.actions.server', {
      label: 'Server action',
      required: true,
      ondelete: 'restrict',
      index: true,
      copy: false,
    }),
    cron_name: char({ label: 'Name', computed: true, stored: true }),
    user_id: many2one('res.users', { label: 'Scheduler User', required: true }),
    active: boolean({ label: 'Active', default: true }),
    interval_number: integer({
      label: 'Interval Number',
      required: true,
      default: 1,
      aggregator: null,
      help: 'Repeat every x.',
    }),
    interval_type: selection(rhythms, { label: 'Interval Unit', required: true, default: 'months' }),
    nextcall: datetime({
      label: 'Next Execution Date',
      required: true,
      help: 'Next planned execution date for this job.',
    }),
    lastcall: datetime({ label: 'Last Execution Date', copy: false }),
    priority: integer({
      label: 'Priority',
      default: 5,
      aggregator: null,
      help: '0: high priority, 10: low priority',
    }),
    failure_count: integer({ label: 'Failure Count', default: 0, copy: false }),
    first_failure_date: datetime({ label: 'First Failure Date', copy: false }),
  },
  methods: {
    method_direct_trigger: {
      doc: 'Runs the scheduled actions now, each as its user. Their schedule does not change.',
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
    toggle: {
      doc: 'Activates the scheduled actions if records of a model match the domain, else deactivates them.',
      params: {
        model: required<string>('string', { annotation: 'str' }),
        domain: required<readonly unknown[]>('domain', { annotation: 'list' }),
      },
      returns: returns<true>('boolean', 'bool'),
    },
    run_due: {
      doc: 'Runs the action if it is due, and schedules its next run.',
      private: true,
      params: {},
      returns: returns<boolean>('boolean', 'bool', 'Whether it was due'),
    },
    note_failure: {
      doc: 'Records a failed run and schedules the next try. An action that fails for a week is deactivated.',
      private: true,
      params: {},
      returns: returns<object | null>('object', 'dict | None'),
    },
    trigger: {
      doc: 'Schedules an extra run, now or at a given time.',
      private: true,
      params: { at: required<string>('string', { doc: 'YYYY-MM-DD HH:MM:SS, UTC', annotation: 'str' }) },
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.cron': Cron
  }
  interface Cron extends Of<typeof cron> {}
  interface Delegates {
    'ir.cron': 'ir.actions.server'
  }
}

export default implement(cron, {
  defaults: {
    user_id: (env) => env.uid,
    nextcall: (env) => nowUtc(env.now()),
  },
  methods: {
    method_direct_trigger: async (jobs) => {
      const { env } = jobs
      const def = env.def('ir.cron')
      if (!env.su && !env.unit.rights.mayModel(env.user, def, 'write'))
        throw env.unit.rights.refusal(env.user, def, 'write')
      // Report jobs that are gone or hidden before any of them runs.
      assertNoneMissing(jobs, await jobs.load(['user_id']))
      for (const id of jobs.ids) await runNow(env, id)
      return true
    },
    toggle: async (jobs, { model: name, domain }) => {
      await assertAllowedAndExisting(jobs, 'write')
      const def = jobs.env.unit.registry.get(name)
      if (!def) throw unknownModel(name)
      const counted = await jobs.env.model(def.name as ModelName).invoke('search_count', { domain, limit: 1 })
      await jobs.write({ active: Number(counted) > 0 })
      return true as const
    },
    run_due: (jobs) => runDue(jobs.env, jobs.ensureOne()),
    note_failure: (jobs) => noteFailure(jobs.env, jobs.ensureOne()),
    trigger: async (jobs, { at }) => {
      await jobs.env
        .sudo()
        .model('ir.cron.trigger')
        .create(jobs.ids.map((id) => ({ cron_id: id, call_at: at })))
      return null
    },
  },
  computed: {
    cron_name: computed(cron, ['ir_actions_server_id.name'], (job) => job.ir_actions_server_id.name),
  },
  wrapGeneric: {
    create: (next) => (records, params) => {
      const list = givenVals(params.vals_list)
      return next(records, { ...params, vals_list: list.map((vals) => ({ ...vals, usage: 'ir_cron' })) })
    },
    unlink: (next) => async (records, params) => {
      const jobs = await records.load(['ir_actions_server_id'])
      const result = await next(records, params)
      await records.env
        .sudo()
        .model('ir.actions.server')
        .browse(jobs.map((job) => job.ir_actions_server_id.id))
        .unlink()
      return result
    },
  },
})

/** Jobs of the server itself. */
export const scheduled: DataSet = {
  model: 'ir.cron',
  noupdate: true,
  records: {
    autovacuum_job: {
      name: 'Base: Auto-vacuum internal data',
      model_id: ref('model_ir_autovacuum'),
      state: 'code',
      code: 'model.run_vacuum_cleaner()',
      user_id: ref('user_root'),
      interval_number: 1,
      interval_type: 'days',
    },
  },
}
