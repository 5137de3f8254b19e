-- index_letters: a text without accents (index_plain), in which Latin letters that Unicode does not decompose are ASCII:
-- those with strokes and hooks, ligatures, and letters of their own, such as ł, ø, đ, æ, þ and ŋ.
--
-- As in Unicode's transliteration Latin-ASCII (CLDR) and PostgreSQL's unaccent.rules, and the letters ə ǝ ɔ ɵ ʊ ɣ, which
-- these lack. Modifier letters, such as the ʻ of Hawaiʻi, vanish. The usual letters have a statement of their own,
-- because each letter of translate costs time.
CREATE OR REPLACE FUNCTION index_letters(p_plain text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    words text := translate(p_plain, 'ðøđħłŋŧʻʼ', 'dodhlnt');
    pair text; -- a letter and the two letters for it
BEGIN
    IF words ~ '[ʹʺʽʾʿĸƀƃƈƌƒƙƚƞƥƫƭƴƶǝǥȡȥȴȵȶȷȼȿɀɇɉɍɏɓɔɕɖɗəɛɟɠɡɢɣɦɧɨɩɪɫɬɭɱɲɳɴɵɼɽɾʀʂʈʉʊʋʏʐʑʙʛʜʝʟʠᴀᴃᴄᴅᴆᴇᴊᴋᴌᴍᴏᴘᴛᴜᴠᴡᴢᵬᵭᵮᵯᵰᵱᵲᵳᵴᵵᵶᵻᵽᵾᶀᶁᶂᶃᶄᶅᶆᶇᶈᶉᶊᶌᶍᶎᶏᶑᶒᶓᶖᶙẜẝỽỿⱡⱥⱦⱨⱪⱬⱱⱳⱴⱸⱺꜰꜱꝁꝃꝅꝇꝉꝋꝍꝑꝓꝕꝗꝙꝟꝱꝲꝳꝴꝵꝶꝷꝺꝼꞇꞑꞓꞡꞣꞥꞧꞩ]' THEN
        words := translate(words,
            'ĸƀƃƈƌƒƙƚƞƥƫƭƴƶǝǥȡȥȴȵȶȷȼȿɀɇɉɍɏɓɔɕɖɗəɛɟɠɡɢɣɦɧɨɩɪɫɬɭɱɲɳɴɵɼɽɾʀʂʈʉʊʋʏʐʑʙʛʜʝʟʠᴀᴃᴄᴅᴆᴇᴊᴋᴌᴍᴏᴘᴛᴜᴠᴡᴢᵬ'
            'ᵭᵮᵯᵰᵱᵲᵳᵴᵵᵶᵻᵽᵾᶀᶁᶂᶃᶄᶅᶆᶇᶈᶉᶊᶌᶍᶎᶏᶑᶒᶓᶖᶙẜẝỽỿⱡⱥⱦⱨⱪⱬⱱⱳⱴⱸⱺꜰꜱꝁꝃꝅꝇꝉꝋꝍꝑꝓꝕꝗꝙꝟꝱꝲꝳꝴꝵꝶꝷꝺꝼꞇꞑꞓꞡꞣꞥꞧꞩ'
            'ʹʺʽʾʿ',
            'qbbcdfklnpttyzegdzlntjcszejrybocddeejgggghhiiilllmnnnorrrrstuuvyzzbghjlqabcddejklmoptuvwzb'
            'dfmnprrstzipubdfgklmnprsvxzadeeiussvylathkzvwveofskkklloopppqqvdlmnrrtdftncgknrs');
    END IF;
    IF words ~ '[æþœƕƣȸȹɶʣʥʦʪʫᴁᵫᵺỻꜳꜵꜷꜹꜻꜽꝏꝡꝥꝧ]' THEN
        FOREACH pair IN ARRAY string_to_array('æae,þth,œoe,ƕhv,ƣoi,ȸdb,ȹqp,ɶoe,ʣdz,ʥdz,ʦts,ʪls,ʫlz,ᴁae,'
            'ᵫue,ᵺth,ỻll,ꜳaa,ꜵao,ꜷau,ꜹav,ꜻav,ꜽay,ꝏoo,ꝡvy,ꝥth,ꝧth', ',') LOOP
            words := replace(words, left(pair, 1), right(pair, 2));
        END LOOP;
    END IF;
    RETURN words;
END $$;
