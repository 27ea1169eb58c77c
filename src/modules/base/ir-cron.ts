// Scheduled jobs (ir.cron): a server action with a rhythm (spec/models-api.md section 10).
import { boolean, char, computed, datetime, implement, integer, many2one, model, type Of, selection } from '#models'
import { nowUtc } from '../../kit/dates.ts'
import { givenVals } from './given.ts'

const rhythms = { minutes: 'Minutes', hours: 'Hours', days: 'Days', weeks: 'Weeks', months: 'Months' } as const

const cron = model('ir.cron', {
  label: 'Scheduled Actions',
  inherits: { 'ir.actions.server': 'ir_actions_server_id' },
  order: 'cron_name, id',
  recName: 'cron_name',
  rules: {
    check_strictly_positive_interval: { check: 'interval_number > 0', message: 'The interval number must be a strictly positive number.' },
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
    interval_number: integer({ label: 'Interval Number', required: true, default: 1, aggregator: null, help: 'Repeat every x.' }),
    interval_type: selection(rhythms, { label: 'Interval Unit', required: true, default: 'months' }),
    nextcall: datetime({ label: 'Next Execution Date', required: true, help: 'Next planned execution date for this job.' }),
    lastcall: datetime({ label: 'Last Execution Date', copy: false }),
    priority: integer({ label: 'Priority', default: 5, aggregator: null, help: '0: high priority, 10: low priority' }),
    failure_count: integer({ label: 'Failure Count', default: 0, copy: false }),
    first_failure_date: datetime({ label: 'First Failure Date', copy: false }),
  },
})

declare module '#models' {
  interface Models {
    'ir.cron': Cron
  }
  interface Cron extends Of<typeof cron> {}
}

export default implement(cron, {
  defaults: {
    user_id: (env) => env.uid,
    nextcall: () => nowUtc(),
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
