/* class_names.c: classes by name or by number. */
#include "cli/command/model/class_names.h"

#include "data/source/labels.h"

tri__class_names tri__class_names_of_model(const tri__checkpoint *checkpoint, int64_t classes)
{
    const bool named = checkpoint->class_names && checkpoint->input.classes == classes;
    return (tri__class_names){.names = named ? (const char *const *)checkpoint->class_names : NULL, .numbering = checkpoint->numbering};
}

const char *tri__class_name(const tri__class_names *classes, int64_t class, char text[TRI_CLASS_NAME])
{
    if (classes->names)
        return classes->names[class];
    snprintf(text, TRI_CLASS_NAME, "%lld", (long long)tri__class_label(&classes->numbering, class));
    return text;
}

json_t *tri__class_json(const tri__class_names *classes, int64_t class)
{
    return classes->names ? json_string(classes->names[class]) : json_integer(tri__class_label(&classes->numbering, class));
}
