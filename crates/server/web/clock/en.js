// The words of clocks in English.

/** @type {Record<string, string>} */
export const words = {
  'clock': 'Time control',
  'clock.move': 'A time for each move',
  'clock.sudden': 'Sudden death: one time for the whole game',
  'clock.fischer': 'Fischer: each move adds time',
  'clock.byoyomi': 'Byo-yomi: main time, then a time for each move',
  'clock.mainTime': 'Minutes for each side',
  'clock.seconds.move': 'Seconds for each move',
  'clock.seconds.fischer': 'Seconds added by each move',
  'clock.seconds.byoyomi': 'Seconds for each move afterwards',
  'clock.casual': 'Casual: nobody loses on time',
  'clock.said': '{side}’s clock: {time}.',
  'clock.left': '{side} has {time} left.',
  'clock.over': '{time} over',
  'clock.hour': '1 hour',
  'clock.hours': '{n} hours',
  'clock.minute': '1 minute',
  'clock.minutes': '{n} minutes',
  'clock.second': '1 second',
  'clock.seconds': '{n} seconds',
};
