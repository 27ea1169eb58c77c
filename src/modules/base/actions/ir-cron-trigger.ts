// Extra runs of scheduled jobs (ir.cron.trigger): at a given moment, in addition to the interval. A
// failed job is tried again this way.
import { datetime, implement, many2one, model, type Of } from '#models'

const trigger = model('ir.cron.trigger', {
  label: 'Triggered actions',
  recName: 'cron_id',
  fields: {
    cron_id: many2one('ir.cron', {
      label: 'Scheduled Action',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    call_at: datetime({ label: 'Call At', required: true, index: true }),
  },
})

declare module '#models' {
  interface Models {
    'ir.cron.trigger': CronTrigger
  }
  interface CronTrigger extends Of<typeof trigger> {}
}

export default implement(trigger)
