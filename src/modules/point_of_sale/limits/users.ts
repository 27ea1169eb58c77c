// Methods of users (res.users) for the PINs and badges that managers approve with at tills.
import { extend, implement, type Of, required, returns } from '#models'
import { makeBadge, removeBadge, setPin } from './credentials.ts'

const done = returns<true>('boolean', 'bool')

const users = extend('res.users', {
  fields: {},
  methods: {
    set_pos_pin: {
      doc: 'Sets the PIN by which a manager approves at tills: six to twelve digits, false to take it away. Managers set their own; user administrators set those of others.',
      secret: true,
      params: { pin: required<unknown>('any', { doc: 'Digits, or false', annotation: 'str | False' }) },
      returns: done,
    },
    make_pos_badge: {
      doc: 'Creates a badge with which a manager approves at tills, and returns its code, which cannot be read again. The previous badge is void.',
      secret: true,
      params: {},
      returns: returns<string>('string', 'str'),
    },
    remove_pos_badge: { doc: 'Revokes the badge of a manager.', params: {}, returns: done },
  },
})

declare module '#models' {
  interface User extends Of<typeof users> {}
}

export default implement(users, {
  methods: {
    set_pos_pin: (records, { pin }) => setPin(records, pin),
    make_pos_badge: makeBadge,
    remove_pos_badge: removeBadge,
  },
})
