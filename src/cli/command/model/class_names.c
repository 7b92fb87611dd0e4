/* class_names.c: classes by name or by number. */
#include "cli/command/model/class_names.h"

#include "data/source/labels.h"

tri__class_names tri__class_names_of_model(const tri__checkpoint *checkpoint, int64_t classes)
{
    const bool named = checkpoint->class_names && checkpoint->input.classes == classes;
    return (tri__class_names){.names = named ? (const char *const *)checkpoint->class_names : NULL, .numbering = checkpoint->numbering};
}

tri_status tri__class_names_of_columns(const tri__checkpoint *checkpoint, tri_label_kind kind, int64_t outputs, tri__csv_columns *columns,
                                       tri__class_names *names)
{
    if (kind == TRI_LABEL_CLASS || !checkpoint->columns || outputs < 2)
        return NULL;
    TRI_TRY(tri__csv_columns_read(checkpoint->path, checkpoint->columns, columns));
    const char **list = tri__arena_alloc(columns->arena, (size_t)outputs * sizeof *list);
    if (!list)
        return tri_fail(TRI_NO_MEMORY, "no memory for the names of the columns");
    for (int64_t i = 0; i < columns->columns && columns->label_columns == outputs; i++)
        if (columns->column[i].kind == TRI_COLUMN_LABEL)
            list[columns->column[i].first] = columns->column[i].name;
    names->names = columns->label_columns == outputs ? list : NULL;
    return NULL;
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
