// People and things that work (resource.resource), with their working hours.
import { boolean, char, computed, float, implement, many2one, model, type Of, selection } from '#models'
import { timeZones } from '../base/index.ts'

const resource = model('resource.resource', {
  label: 'Resources',
  order: 'name, id',
  fields: {
    name: char({ label: 'Name', required: true }),
    active: boolean({ label: 'Active', default: true }),
    company_id: many2one('res.company', { label: 'Company', ondelete: 'cascade' }),
    resource_type: selection(
      { user: 'Human', material: 'Material' },
      { label: 'Type', required: true, default: 'user' },
    ),
    user_id: many2one('res.users', { label: 'User', ondelete: 'set null', index: true }),
    time_efficiency: float({
      label: 'Efficiency Factor',
      required: true,
      default: 100,
      help: 'Work that the resource completes in the planned time, in percent.',
    }),
    calendar_id: many2one('resource.calendar', { label: 'Working Time', ondelete: 'set null' }),
    tz: selection(timeZones, { label: 'Timezone', required: true }),
  },
})

declare module '#models' {
  interface Models {
    'resource.resource': Resource
  }
  interface Resource extends Of<typeof resource> {}
}

export default implement(resource, {
  defaults: {
    company_id: (env) => env.companyId,
    tz: (env) => env.user.tz || 'UTC',
    calendar_id: (env) => env.find('resource.resource_calendar_std').then((id) => id ?? undefined),
  },
  checks: {
    'The efficiency of a resource must be more than 0.': computed(
      resource,
      ['time_efficiency'],
      ({ time_efficiency }) => time_efficiency > 0,
    ),
  },
})
