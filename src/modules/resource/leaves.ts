// Times off (resource.calendar.leaves): of one resource, or of all who work by a calendar.
import { char, computed, datetime, implement, many2one, model, type Of, returns, selection } from '#models'
import { ValidationError } from '../../errors.ts'
import { assertNoneMissing } from '../base/index.ts'

const leave = model('resource.calendar.leaves', {
  label: 'Resource Time Off Detail',
  order: 'date_from, id',
  fields: {
    name: char({ label: 'Reason' }),
    calendar_id: many2one('resource.calendar', { label: 'Working Hours', ondelete: 'cascade', index: true }),
    company_id: many2one('res.company', {
      label: 'Company',
      related: 'calendar_id.company_id',
      stored: true,
    }),
    resource_id: many2one('resource.resource', {
      label: 'Resource',
      ondelete: 'cascade',
      index: true,
      help: 'Empty: all who work by the calendar.',
    }),
    date_from: datetime({ label: 'Start Date', required: true }),
    date_to: datetime({ label: 'End Date', required: true }),
    time_type: selection(
      { leave: 'Time Off', other: 'Other' },
      { label: 'Time Type', default: 'leave', help: 'Other times count as work.' },
    ),
  },
  methods: {
    check_dates: {
      doc: 'Raises an error for times off that end before they begin.',
      readonly: true,
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface Models {
    'resource.calendar.leaves': ResourceLeave
  }
  interface ResourceLeave extends Of<typeof leave> {}
}

const BACKWARDS = 'The time off ends after it begins: correct its dates.'

export default implement(leave, {
  checks: {
    [BACKWARDS]: computed(leave, ['date_from', 'date_to'], ({ date_from, date_to }) => date_from <= date_to),
  },
  methods: {
    check_dates: async (leaves) => {
      const rows = await leaves.load(['date_from', 'date_to'])
      assertNoneMissing(leaves, rows)
      if (rows.some(({ date_from, date_to }) => date_from > date_to)) throw new ValidationError(BACKWARDS)
      return null
    },
  },
})
