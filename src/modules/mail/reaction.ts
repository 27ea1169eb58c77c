// Reactions to messages (mail.message.reaction): a sign that somebody answers with, once for each sign.
import { boolean, char, computed, implement, many2one, model, type Of, writable } from '#models'
import { ofMessage } from './rights.ts'

const reaction = model('mail.message.reaction', {
  label: 'Message Reaction',
  recName: 'content',
  order: 'id desc',
  changes: false,
  logAccess: false,
  rules: {
    once: {
      unique: ['message_id', 'partner_id', 'content'],
      message: 'You answered the message with this sign already.',
    },
    short: {
      check: 'length(content) <= 32',
      message: 'A reaction is a sign, not a text.',
    },
  },
  fields: {
    message_id: many2one('mail.message', {
      label: 'Message',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    content: char({ label: 'Content', required: true }),
    partner_id: many2one('res.partner', {
      label: 'Reacting Partner',
      required: true,
      mustSend: false,
      ondelete: 'cascade',
      index: true,
    }),
    readable: boolean({ computed: true, groups: 'base.group_nobody' }),
  },
})

declare module '#models' {
  interface Models {
    'mail.message.reaction': MessageReaction
  }
  interface MessageReaction extends Of<typeof reaction> {}
}

export default implement(reaction, {
  writable: writable<'mail.message.reaction'>({ once: ['message_id', 'content', 'partner_id'] }),
  defaults: { partner_id: (env) => env.user.partnerId },
  computed: {
    readable: computed(reaction, [], () => false, { sql: (scope) => ofMessage(scope, 'message_id') }),
  },
})
