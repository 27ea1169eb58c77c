// Pictures of records: one image with smaller variants, and an avatar that is drawn where no picture was given.
import { abstract, binary, computed, implement, type Of } from '#models'

const image = abstract('image.mixin', {
  label: 'Image Mixin',
  fields: {
    image_1920: binary({ label: 'Image', image: true, maxWidth: 1920 }),
    image_1024: binary({ label: 'Image 1024', image: true, maxWidth: 1024, related: 'image_1920' }),
    image_512: binary({ label: 'Image 512', image: true, maxWidth: 512, related: 'image_1920' }),
    image_256: binary({ label: 'Image 256', image: true, maxWidth: 256, related: 'image_1920' }),
    image_128: binary({ label: 'Image 128', image: true, maxWidth: 128, related: 'image_1920' }),
  },
})

const avatar = abstract('avatar.mixin', {
  label: 'Avatar Mixin',
  mixins: ['image.mixin'],
  fields: {
    avatar_1920: binary({ label: 'Avatar', computed: true }),
    avatar_1024: binary({ label: 'Avatar 1024', computed: true }),
    avatar_512: binary({ label: 'Avatar 512', computed: true }),
    avatar_256: binary({ label: 'Avatar 256', computed: true }),
    avatar_128: binary({ label: 'Avatar 128', computed: true }),
  },
})

declare module '#models' {
  interface Models {
    'image.mixin': ImageMixin
    'avatar.mixin': AvatarMixin
  }
  interface ImageMixin extends Of<typeof image> {}
  interface AvatarMixin extends Of<typeof avatar>, ImageMixin {}
}

/** Colours that white letters can be read on. */
const colours = ['#4a6fa5', '#2f7f6f', '#8a5a44', '#6b5b95', '#a04668', '#4f7942', '#7a6a2b', '#3b6e8f']

/** A square with the name's first letter, as SVG. The same name always looks the same. */
export function drawAvatar(name: string): string {
  const letter = [...name.trim()][0]?.toUpperCase() ?? ''
  const sum = [...name].reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0)
  const safe = letter.replace(/[<>&"']/, (c) => `&#${c.charCodeAt(0)};`)
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" width="180" height="180" viewBox="0 0 180 180">' +
    `<rect width="180" height="180" fill="${colours[sum % colours.length]}"/>` +
    `<text x="90" y="90" fill="#ffffff" font-family="sans-serif" font-size="96" text-anchor="middle" dominant-baseline="central">${safe}</text></svg>`
  )
}

const avatarOf = computed(avatar, ['image_1920', 'display_name'], (record) => {
  return record.image_1920 ?? Buffer.from(drawAvatar(record.display_name ?? '')).toString('base64')
})

export const imageMixin = implement(image)

export default implement(avatar, {
  computed: { avatar_1920: avatarOf, avatar_1024: avatarOf, avatar_512: avatarOf, avatar_256: avatarOf, avatar_128: avatarOf },
})
